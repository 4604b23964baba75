import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type Importer, type Report, readList, skipped } from '../importer.ts';
import { isMalicious, listIn, REMOVE_PACKAGE, vulnerabilityTitle } from '../kinds/dependency.ts';
import { documentsOf } from '../read/report.ts';
import { fields, flag, list, number, object, objects, requiredText, text } from '../read/schema.ts';
import { isObject } from '../read/values.ts';
import { cveOf, cvssOf, cweOf, relativePath, severityOf, severityOfScore } from '../support.ts';
import { describeFinding, escapeMarkdown, formatLocation, joined } from '../text/markdown.ts';

const Representation = z.object({
  dependency: object({ package_name: text, package_version: text }),
  sourceLocation: object({
    file: text,
    region: object({ start: object({ line: number, column: number }) }),
  }),
  resourcePath: text,
});

const Attributes = z.object({
  key: requiredText,
  ...fields(text, 'title', 'type', 'description', 'status', 'effective_severity_level'),
  ignored: flag,
  classes: objects({ id: text }),
  coordinates: objects({
    representations: list(Representation),
    is_upgradeable: flag,
    is_fixable_snyk: flag,
  }),
  problems: objects({ id: text, source: text, url: text }),
  severities: objects({ source: text, level: text, score: number, vector: text, version: text }),
  exploit_details: object({ maturity_levels: objects({ format: text, level: text }) }),
  risk: object({ score: object({ value: number }) }),
});

const Issue = z.object({
  id: text,
  attributes: Attributes,
  relationships: object({ scan_item: object({ data: object({ id: text, type: text }) }) }),
});

/** The pages of issues that the API of Snyk returns. */
export const snykApi: Importer = {
  name: 'snyk-api',
  about: {
    tool: '[Snyk API](https://docs.snyk.io/snyk-api), issues',
    command: 'the answer of `GET /rest/orgs/{org_id}/issues`; several pages in a row',
    versions: '2024-10-15',
    identity: 'project, issue key, package',
    severity: '`effective_severity_level`, or the score; critical for malicious packages',
  },

  detects: (report) => {
    const [page] = pagesOf(report);
    if (!isObject(page) || !isObject(page.jsonapi) || !Array.isArray(page.data)) return false;
    const [first] = page.data;
    return first === undefined || (isObject(first) && first.type === 'issue' && isObject(first.attributes));
  },

  results(report, context) {
    const pages = pagesOf(report);
    const issues = pages.flatMap((page, index) => {
      const path = joined([pages.length > 1 ? String(index) : '', 'data'], '.');
      return readList(Issue, listIn(isObject(page) ? page : undefined, 'data'), path, context);
    });
    return issues.flatMap((issue) => {
      const { attributes, relationships } = issue;
      if (attributes.status === 'resolved') return skipped('resolved in Snyk', context);
      if (attributes.ignored) return skipped('ignored in Snyk', context);
      const { key, title, type, problems, severities } = attributes;
      const project = relationships?.scan_item?.data?.id;
      const places = attributes.coordinates.flatMap(({ representations }) => representations);
      const dependency = places.find((place) => place.dependency)?.dependency;
      const source = places.find((place) => place.sourceLocation)?.sourceLocation;
      const file = relativePath(source?.file, context);
      const line = source?.region?.start?.line;
      const rated = severities.find((one) => one.source === 'Snyk' && one.vector) ?? severities[0];
      const cvss = cvssOf(rated?.vector);
      const score = rated?.score ?? cvss?.score;
      const isMalware =
        isMalicious(key, ...problems.map(({ id }) => id)) || /malicious package/i.test(title ?? '');
      const cve = cveOf(...problems.map(({ id }) => id));
      return {
        entries: [issue],
        // The key of an issue in source code is its own, that of a vulnerability is its id in Snyk.
        identify: () => fingerprintOf('snyk-api', project, type, key, dependency?.package_name),
        title: dependency
          ? vulnerabilityTitle(cve ?? key, dependency.package_name, dependency.package_version, title)
          : `${title ?? key}${file ? ` in ${file}` : ''}`,
        rule_id: dependency ? key : title,
        severity: isMalware
          ? 'critical'
          : severityOf(attributes.effective_severity_level, severityOfScore(score || undefined, 'medium')),
        description: describeFinding({
          what: escapeMarkdown(attributes.description ?? title ?? ''),
          facts: {
            Issue: key,
            Type: type?.replaceAll('_', ' '),
            Package: dependency?.package_name,
            'Installed version': dependency?.package_version,
            Location: formatLocation(file, line),
            Resource: places.find(({ resourcePath }) => resourcePath)?.resourcePath,
            'Snyk project': project,
            'Risk score': attributes.risk?.score?.value,
            'Exploit maturity': attributes.exploit_details?.maturity_levels
              .map(({ format, level }) => joined([level, format && `(${format})`], ' '))
              .join(', '),
          },
          fix: isMalware
            ? REMOVE_PACKAGE
            : attributes.coordinates.some((one) => one.is_upgradeable || one.is_fixable_snyk)
              ? 'Snyk knows an upgrade or patch that fixes it.'
              : undefined,
          references: [
            key.startsWith('SNYK-') ? `https://security.snyk.io/vuln/${key}` : undefined,
            ...problems.map(({ url }) => url),
          ],
        }),
        cwe: cweOf(...attributes.classes.map(({ id }) => id)),
        cve,
        cvss_score: score,
        cvss_vector: cvss?.vector,
        file,
        line,
        column: source?.region?.start?.column,
      };
    });
  },
};

const pagesOf = (report: Report): unknown[] => documentsOf(report).flat();
