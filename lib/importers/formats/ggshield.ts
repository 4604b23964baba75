import { z } from 'zod';
import type { Severity } from '../finding.ts';
import { type Importer, ReportError, readList, skipped } from '../importer.ts';
import { documentOf } from '../read/report.ts';
import { anything, fields, flag, number, objects, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { type FoundSecret, secretResults } from '../tools/secret-results.ts';

const Incident = z.object({
  type: requiredText,
  ...fields(text, 'validity', 'incident_url', 'exclude_reason'),
  ignore_sha: requiredText,
  known_secret: flag,
  is_excluded: flag,
  // The match is masked in part only, so it is not read.
  occurrences: objects({ line_start: number }),
});

const Entity = z.object({ filename: text, incidents: anything });

/** `ggshield secret scan --json` */
export const ggshield: Importer = {
  name: 'ggshield',
  about: {
    tool: '[ggshield](https://github.com/GitGuardian/ggshield) (GitGuardian)',
    command: '`ggshield secret scan path -r . --json > report.json`',
    versions: 'the report names no version: reports of 2021',
    identity: 'detector, file, secret',
    severity: 'high; critical if the secret is valid, low if it is not',
  },

  detects: (report) => isScan(documentOf(report)),

  results(report, context) {
    if (!isScan(documentOf(report))) throw new ReportError('The report was not written by ggshield');
    const places = scansIn(documentOf(report)).flatMap(({ id, type, entities }) =>
      readList(Entity, entities, 'entities_with_incidents', context).flatMap(({ filename, incidents }) =>
        readList(Incident, incidents, 'incidents', context).flatMap((incident): FoundSecret | [] => {
          if (incident.is_excluded)
            return skipped(`excluded in ggshield: ${incident.exclude_reason ?? 'no reason given'}`, context);
          return {
            rule: incident.type,
            path: filename,
            line: incident.occurrences[0]?.line_start,
            commit: type === 'commit' ? id : undefined,
            secret: incident.ignore_sha,
            severity: SEVERITIES.get(incident.validity ?? '') ?? 'high',
            facts: {
              Validity: incident.validity,
              Occurrences: String(incident.occurrences.length),
              Known: incident.known_secret ? 'yes' : undefined,
            },
            references: [incident.incident_url],
          };
        }),
      ),
    );
    return secretResults('ggshield', places, context);
  },
};

const SEVERITIES = new Map<string, Severity>([
  ['valid', 'critical'],
  ['invalid', 'low'],
]);

const isScan = (document: unknown) =>
  isObject(document) &&
  'total_incidents' in document &&
  ('entities_with_incidents' in document || 'scans' in document || 'type' in document);

interface Scan {
  id: string | undefined;
  type: string | undefined;
  entities: unknown;
}

/** A scan and the scans in it, such as one for each commit. */
function scansIn(document: unknown): Scan[] {
  const scans: Scan[] = [];
  const waiting = [document];
  // The loop also reaches what is added in it.
  for (const scan of waiting) {
    if (!isObject(scan)) continue;
    const [id, type] = [property(scan, 'id'), property(scan, 'type')];
    scans.push({
      id: typeof id === 'string' ? id : undefined,
      type: typeof type === 'string' ? type : undefined,
      entities: scan.entities_with_incidents,
    });
    if (Array.isArray(scan.scans)) for (const inner of scan.scans) waiting.push(inner);
  }
  return scans;
}
