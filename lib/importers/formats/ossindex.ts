import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  type Result,
  readList,
  readRequired,
} from '../importer.ts';
import { parsePurl, vulnerabilityResult } from '../kinds/dependency.ts';
import { documentOf } from '../read/report.ts';
import { anything, fields, number, object, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cveOf, cvssOf, severityOfScore } from '../support.ts';
import { joined, sanitizeMarkdown } from '../text/markdown.ts';

const Vulnerability = z.object({
  id: requiredText,
  ...fields(text, 'title', 'description', 'cvssVector', 'cve', 'cwe', 'reference'),
  cvssScore: number,
  versionRanges: texts,
  externalReferences: texts,
});

const Component = z.object({ coordinates: requiredText, vulnerabilities: anything });

const Package = z.object({
  Package: object({ pm: text, group: text, name: text, version: text }),
  Vulnerabilities: anything,
});

/** Component reports of OSS Index, which AuditJS and DevAudit write. */
export const ossindex: Importer = {
  name: 'ossindex',
  about: {
    tool: '[OSS Index](https://ossindex.sonatype.org), [AuditJS](https://github.com/sonatype-nexus-community/auditjs), DevAudit',
    command: '`npx auditjs ossi --json > report.json`',
    versions: 'the report names no version: AuditJS, DevAudit',
    identity: 'package, advisory',
    severity: 'CVSS; medium if the advisory has none',
  },

  detects: (report) => {
    const document = documentOf(report);
    if (isObject(document)) return 'Packages Audited' in document && 'Packages' in document;
    const [first] = Array.isArray(document) ? document : [];
    return (
      /^pkg:/.test(String(property(first, 'coordinates') ?? '')) &&
      Array.isArray(property(first, 'vulnerabilities'))
    );
  },

  results: (report, context) =>
    packagesIn(report, context).flatMap((audited) =>
      readList(Vulnerability, audited.vulnerabilities, audited.path, context).map((found) =>
        toResult(found, audited),
      ),
    ),
};

interface Audited {
  purl: { type: string; name: string; version: string | undefined };
  vulnerabilities: unknown;
  path: string;
  entry: unknown;
}

function packagesIn(report: Report, context: ImportContext): Audited[] {
  const document = documentOf(report);
  if (Array.isArray(document)) {
    return readList(Component, document, '', context).map((entry, index) => ({
      entry,
      purl: parsePurl(entry.coordinates) ?? { type: '', name: entry.coordinates, version: undefined },
      vulnerabilities: entry.vulnerabilities,
      path: `${index}.vulnerabilities`,
    }));
  }
  return readRequired(Package, document, 'Packages', context).map((entry, index) => {
    const one = entry.Package;
    // DevAudit writes “None” for what is missing.
    const group = one?.group === 'None' ? undefined : one?.group;
    const name = joined([group, one?.name], '/');
    return {
      entry,
      purl: { type: one?.pm ?? '', name, version: one?.version },
      vulnerabilities: entry.Vulnerabilities,
      path: `Packages.${index}.Vulnerabilities`,
    };
  });
}

function toResult(found: z.output<typeof Vulnerability>, { purl, entry }: Audited): Result {
  const { type, name, version } = purl;
  const { id, title, description, reference, cwe } = found;
  const cvss = cvssOf(found.cvssVector);
  const stated = found.cvssScore;
  const score = stated !== undefined && stated >= 0 && stated <= 10 ? stated : cvss?.score;
  const cve = cveOf(found.cve, id, title);
  return vulnerabilityResult({
    tool: 'ossindex',
    entries: [entry, found],
    identity: [type, name],
    id,
    shown: cve ?? (/^[0-9a-f]{8}-/.test(id) ? 'Vulnerability' : id),
    aliases: [cve],
    name,
    version,
    summary: title?.replace(/^\[CVE-[\d-]+\]\s*|^(?:CVE|CWE)-\d+(?:-\d+)?:?\s*/, ''),
    severity: severityOfScore(score || undefined, 'medium'),
    cvss: { score, vector: cvss?.vector },
    cwes: [cwe === 'None' ? undefined : cwe, /CWE-\d+/.exec(title ?? '')?.[0]],
    description: {
      what: sanitizeMarkdown(description ?? title ?? ''),
      facts: { 'Package type': type, 'Vulnerable versions': found.versionRanges.join(', ') },
      references: [reference, ...found.externalReferences],
    },
  });
}
