import { z } from 'zod';
import { type Importer, type Report, ReportError, readAt } from '../importer.ts';
import { fixedVersions, vulnerablePackage } from '../kinds/resources.ts';
import { documentOf } from '../read/report.ts';
import { fields, number, object, record, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';

const Vulnerability = z.object({
  id: requiredText,
  ...fields(text, 'package', 'version', 'fix_version', 'severity', 'description', 'status'),
  links: texts,
  cwe_ids: texts,
  preferred_cvss: object({ score_v3: number, score_v2: number, vector_v3: text, vector_v2: text }),
  vendor_attributes: object({ CVSS: record }),
});

/** The vulnerabilities of an artifact from the API of Harbor. */
export const harbor: Importer = {
  name: 'harbor',
  about: {
    tool: '[Harbor](https://goharbor.io)',
    command: '`GET /api/v2.0/projects/…/repositories/…/artifacts/…/additions/vulnerabilities`',
    versions: 'reports 1.0 and 1.1',
    identity: 'vulnerability, package: the report does not name the image',
  },

  detects: (report) => reportOf(report) !== undefined,

  results(report, context) {
    const found = reportOf(report);
    if (!found) throw new ReportError('The report has no vulnerabilities', 'vulnerabilities');
    return readAt(Vulnerability, found, 'vulnerabilities', context).map((one) => {
      const { preferred_cvss: cvss, vendor_attributes: attributes } = one;
      const ratings = ['nvd', 'ghsa', 'redhat', ...Object.keys(attributes?.CVSS ?? {})].map(
        (name) => attributes?.CVSS?.[name],
      );
      return vulnerablePackage({
        tool: 'harbor',
        entries: [one],
        id: one.id,
        name: one.package,
        version: one.version,
        fixed: fixedVersions(one.fix_version),
        severity: one.severity,
        details: one.description,
        vectors: [
          cvss?.vector_v3,
          ...ratings.flatMap((rating) => [text.parse(property(rating, 'V3Vector'))]),
          cvss?.vector_v2,
          ...ratings.flatMap((rating) => [text.parse(property(rating, 'V2Vector'))]),
        ],
        score: cvss?.score_v3 || cvss?.score_v2 || undefined,
        facts: { Status: one.status },
        cwes: one.cwe_ids,
        references: one.links,
      });
    });
  },
};

/** The report, which may be in a property that is named like its media type. */
function reportOf(report: Report): unknown {
  const document = documentOf(report);
  if (!isObject(document)) return undefined;
  const [name] = Object.keys(document).filter((key) =>
    /^application\/vnd\..*(?:vuln|vulnerability)\.report/.test(key),
  );
  if (name !== undefined) return document[name];
  return 'generated_at' in document && 'vulnerabilities' in document && isObject(document.scanner)
    ? document
    : undefined;
}
