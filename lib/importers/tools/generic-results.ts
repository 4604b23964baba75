import { z } from 'zod';
import { fingerprintOf, identifyCode } from '../identity/identity.ts';
import { type ImportContext, type Result, skipped } from '../importer.ts';
import { number, text } from '../read/schema.ts';
import { cveOf, cvssOf, cweOf, relativePath, severityOf, severityOfScore } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import {
  describeFinding,
  escapeMarkdown,
  formatLocation,
  inlineCode,
  joined,
  sanitizeMarkdown,
} from '../text/markdown.ts';
import type { GenericFinding } from './generic-fields.ts';

/** Why a finding is not a problem, as its author says. */
function closedBecause(finding: GenericFinding): string | undefined {
  if (finding.falsep || finding.falsepositive) return 'they are marked as false positives';
  if (finding.duplicate) return 'they are marked as duplicates';
  if (finding.outofscope) return 'they are marked as out of scope';
  if (finding.riskaccepted) return 'their risk is marked as accepted';
  if (finding.ismitigated) return 'they are marked as fixed';
  return undefined;
}

/** Converts findings of the generic format. @param type the tool that found them, if the report names it */
export function genericResults(
  findings: readonly GenericFinding[],
  context: ImportContext,
  type?: string,
): Result[] {
  let inactive = 0;
  let attachments = 0;
  const results = findings.flatMap((finding): Result[] => {
    const closed = closedBecause(finding);
    if (closed) return skipped(closed, context);
    if (finding.active === false) inactive++;
    if (Array.isArray(finding.files)) attachments += finding.files.length;
    return [resultOf(finding, context, type)];
  });
  const warnOf = (describe: (count: number) => string, count: number) => {
    if (context.parts) context.parts.count(describe, count);
    else if (count > 0) context.warn(describe(count));
  };
  warnOf((count) => `Imported although they are marked as inactive: ${count}`, inactive);
  warnOf((count) => `Attached files that are not imported: ${count}`, attachments);
  return results;
}

function resultOf(finding: GenericFinding, context: ImportContext, type: string | undefined): Result {
  const file = relativePath(finding.file || finding.filepath, context);
  const line = finding.line;
  const endpoints = endpointsOf(finding);
  const ids = [finding.cve, finding.cveid, finding.vulnerabilityid, ...finding.vulnerabilityids].filter(
    Boolean,
  );
  const cwe = cweOf(finding.cwe, finding.cweid, ...finding.cwes);
  const { cvssv3score: score3, cvssv4score: score4, cvssv2score: score2 } = finding;
  const vectors = [finding.cvssvector, finding.cvss, finding.cvssv3, finding.cvssv4, finding.cvssv2];
  const cvss = vectors.map(cvssOf).find(Boolean);
  const [, version = '2'] = /^CVSS:(\d)/.exec(cvss?.vector ?? '') ?? [];
  const score =
    finding.cvssscore ??
    number.parse(finding.cvss) ??
    (cvss && ({ 2: score2, 3: score3, 4: score4 }[version] ?? cvss.score)) ??
    score3 ??
    score4 ??
    score2;
  const markdown = (value: string | undefined) => sanitizeMarkdown(maskCredentials(value ?? ''));
  return {
    entries: [finding],
    identify: identifyBy(finding, { file, endpoints, ids, cwe, type }, context),
    formerFingerprints: finding.previousfingerprints,
    title: maskCredentials(finding.title),
    rule_id: finding.ruleid ?? finding.vulnidfromtool,
    severity: severityOf(finding.severity, severityOfScore(score)),
    description: describeFinding({
      what: markdown(finding.description),
      facts: {
        Location: formatLocation(file, line),
        Source: formatLocation(relativePath(finding.sastsourcefilepath, context), finding.sastsourceline),
        'Source object': finding.sastsourceobject,
        'Sink object': finding.sastsinkobject,
        Component: joined([finding.componentname, finding.componentversion], ' '),
        Service: finding.service,
        Parameter: finding.param,
        Identifiers: [...new Set([finding.vulnidfromtool, ...ids].filter(Boolean))].join(', '),
        Weaknesses: [...new Set(finding.cwes)].join(', '),
        Confidence: finding.scannerconfidence,
        Verified: finding.verified ? 'yes' : undefined,
        EPSS: finding.epssscore,
        'Known exploited': finding.knownexploited ? (finding.kevdate ?? 'yes') : undefined,
        'Used by ransomware': finding.ransomwareused ? 'yes' : undefined,
        Tags: finding.tags.join(', '),
        Date: finding.date,
      },
      where: endpoints.map((endpoint) => `- ${inlineCode(maskCredentials(endpoint))}`).join('\n'),
      fix: joined(
        [
          markdown(finding.mitigation),
          finding.fixversion
            ? `Upgrade ${finding.componentname ? `${inlineCode(finding.componentname)} ` : ''}to ${inlineCode(finding.fixversion)}.`
            : '',
        ],
        '\n\n',
      ),
      details: joined(
        [
          markdown(finding.impact),
          markdown(finding.severityjustification),
          markdown(finding.stepstoreproduce),
          finding.payload ? `Payload: ${escapeMarkdown(maskCredentials(finding.payload))}` : '',
        ],
        '\n\n',
      ),
      references: finding.references?.split('\n').map((line) => line.trim()),
    }),
    cwe,
    cve: cveOf(...ids, finding.vulnidfromtool, finding.title),
    cvss_score: score,
    cvss_vector: cvss?.vector,
    file,
    line,
    ...((finding.source ?? type) && { source: finding.source ?? type }),
  };
}

interface Identified {
  file: string | undefined;
  endpoints: string[];
  ids: (string | undefined)[];
  cwe: string | undefined;
  type: string | undefined;
}

/** A fingerprint or id of the report, or else what the finding says. */
function identifyBy(finding: GenericFinding, found: Identified, context: ImportContext): Result['identify'] {
  const { fingerprint, uniqueidfromtool: id, title, line, componentname } = finding;
  if (fingerprint) return () => fingerprint;
  const { type, cwe, endpoints, ids, file } = found;
  if (id) return () => fingerprintOf('generic', type, 'id', id);
  const parts = [type, title, cwe, [...ids].sort().join(), componentname, [...endpoints].sort().join('\n')];
  if (file && line) return identifyCode('generic', parts, { file, line }, context);
  return (path) => fingerprintOf('generic', ...parts, path);
}

const Endpoint = z.object({ protocol: text, host: text, port: text, path: text, query: text });

/** URLs and hosts: texts, or objects with the parts of a URL. */
function endpointsOf({ url, endpoints }: GenericFinding): string[] {
  const listed = [url, endpoints].flat().flatMap((value) => {
    const plain = text.parse(value);
    if (plain) return [plain];
    const { protocol, host, port, path, query } = Endpoint.safeParse(value).data ?? {};
    if (!host) return [];
    return [
      `${protocol ? `${protocol}://` : ''}${host}${port ? `:${port}` : ''}${path ? `/${path.replace(/^\//, '')}` : ''}${query ? `?${query}` : ''}`,
    ];
  });
  return [...new Set(listed)];
}
