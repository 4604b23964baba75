import { z } from 'zod';
import { type ImportContext, open } from '../importer.ts';
import { anything, fields, flag, number, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';

/** A list, or its members in a text with commas, spaces or lines between them. */
const words = z.preprocess(
  (value) =>
    (Array.isArray(value) ? value : String(value ?? '').split(/[\s,;]+/))
      .filter((word) => typeof word === 'string' || typeof word === 'number')
      .map(String)
      .filter(Boolean),
  z.array(z.string()),
);

/** The fields of a finding. Their names are compared without case, spaces, `_` and `-`. */
const FIELDS = {
  title: requiredText,
  ...fields(text, 'severity', 'description', 'fingerprint'),
  previousfingerprints: words,
  cwe: text,
  cweid: text,
  cwes: words,
  ...fields(text, 'cve', 'cveid', 'vulnerabilityid'),
  vulnerabilityids: words,
  ruleid: text,
  vulnidfromtool: text,
  uniqueidfromtool: text,
  cvssscore: number,
  ...fields(text, 'cvssvector', 'cvss', 'cvssv2'),
  cvssv2score: number,
  cvssv3: text,
  cvssv3score: number,
  cvssv4: text,
  cvssv4score: number,
  file: text,
  filepath: text,
  line: number,
  sastsourcefilepath: text,
  sastsourceline: number,
  ...fields(text, 'sastsourceobject', 'sastsinkobject', 'componentname', 'componentversion'),
  fixavailable: flag,
  ...fields(text, 'fixversion', 'mitigation', 'impact', 'stepstoreproduce', 'severityjustification'),
  ...fields(text, 'references', 'url'),
  endpoints: anything,
  ...fields(text, 'param', 'payload', 'service'),
  tags: words,
  date: text,
  source: text,
  epssscore: number,
  epsspercentile: number,
  knownexploited: flag,
  ransomwareused: flag,
  ...fields(text, 'kevdate', 'scannerconfidence', 'effortforfixing'),
  planneddetails: anything,
  active: flag,
  verified: flag,
  falsep: flag,
  falsepositive: flag,
  duplicate: flag,
  outofscope: flag,
  riskaccepted: flag,
  ismitigated: flag,
  mitigated: anything,
  mitigateddate: anything,
  files: anything,
  // Known names without use here.
  ...fields(anything, 'scanid', 'projectid', 'publishdate', 'lastreviewed', 'laststatusupdate'),
  ...fields(anything, 'numericalseverity', 'nboccurences', 'staticfinding', 'dynamicfinding', 'threadid'),
  ...fields(anything, 'hashcode', 'underreview', 'mitigatedby', 'reviewers', 'notes', 'planneddate'),
  ...fields(anything, 'plannedremediationdate', 'plannedremediationversion', 'effort', 'sonarqubeissue'),
  sla: anything,
} satisfies Record<string, z.ZodType>;

export const GenericFinding = z.preprocess(
  (value) => (isObject(value) ? normalized(value) : value),
  z.object(FIELDS),
);
export type GenericFinding = z.output<typeof GenericFinding>;

const normalizeName = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');

/** A map at first, because a field may be called `__proto__`. */
const normalized = (record: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [normalizeName(name), value]));

/** Whether an importer knows the name of a field or column. */
export const isKnownField = (name: string): boolean => Object.hasOwn(FIELDS, normalizeName(name));

/** The names that tell an export of this service: its fields all have a meaning, if only for the service. */
const OWN = ['fingerprint', 'title', 'severity', 'status', 'seen_count', 'last_scan_id'];

export const isOwnExport = (names: readonly string[]): boolean => OWN.every((name) => names.includes(name));

/** The findings of an export of this service that nobody has resolved there. A report does not take over decisions. */
export const unresolved = <Finding>(
  findings: readonly Finding[],
  context: Pick<ImportContext, 'skip'>,
): Finding[] =>
  open(
    findings,
    (finding) => {
      const status = text.parse(property(finding, 'status'));
      return (
        isObject(finding) &&
        isOwnExport(Object.keys(finding)) &&
        !['open', 'confirmed'].includes(status ?? '') &&
        `they have the status ${status}`
      );
    },
    context,
  );

/** Records which fields are not imported. */
export function warnOfUnknown(names: Iterable<string>, context: Pick<ImportContext, 'warn' | 'parts'>) {
  const unknown = [...new Set(names)].filter((name) => name !== '' && !isKnownField(name));
  const describe = (all: string[]) => `Fields without a meaning are ignored: ${all.slice(0, 10).join(', ')}`;
  if (context.parts) context.parts.names(describe, unknown);
  else if (unknown.length > 0) context.warn(describe(unknown));
}
