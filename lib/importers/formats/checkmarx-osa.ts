import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type Importer, type Report, readList } from '../importer.ts';
import { upgrade, vulnerabilityTitle } from '../kinds/dependency.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, number, object, text } from '../read/schema.ts';
import { cveOf, severityOf, severityOfScore } from '../support.ts';
import { describeFinding, escapeMarkdown } from '../text/markdown.ts';
import { isOpen } from '../tools/checkmarx-results.ts';

const Vulnerability = z.object({
  ...fields(text, 'id', 'cveName', 'url', 'description', 'recommendations', 'sourceFileName', 'libraryId'),
  score: number,
  severity: object({ name: text }),
  state: object({ name: text }),
});

const Library = z.object({ id: text, name: text, version: text, newestVersion: text });

/** The vulnerabilities and libraries of the API of Checkmarx OSA: `[[vulnerability …], [library …]]`. */
export const checkmarxOsa: Importer = {
  name: 'checkmarx-osa',
  about: {
    tool: '[Checkmarx OSA](https://checkmarx.com)',
    command: 'a list with the answers of `/osa/vulnerabilities` and `/osa/libraries`',
    versions: 'the report names no version: API answers of 2021',
    identity: 'library, CVE',
    severity: '`severity`, or the score',
  },

  detects(report) {
    const lists = listsOf(report);
    if (lists?.length !== 2 || !lists.every(Array.isArray)) return false;
    const [[vulnerability], [library]] = lists as [unknown[], unknown[]];
    if (vulnerability !== undefined) return hasKind(vulnerability, { severity: 'value', state: 'value' });
    return library === undefined || hasKind(library, { newestVersion: 'value' });
  },

  results(report, context) {
    const [vulnerabilities, listed] = listsOf(report) ?? [];
    const libraries = new Map(
      readList(Library, listed, '1', context).map((library) => [library.id ?? '', library]),
    );
    const read = readList(Vulnerability, vulnerabilities, '0', context);
    return read
      .filter(({ state }) => isOpen(state?.name, context))
      .map((vulnerability) => {
        const library = libraries.get(vulnerability.libraryId ?? '');
        const id = vulnerability.cveName ?? vulnerability.id ?? 'Vulnerability';
        const { score, description } = vulnerability;
        return {
          entries: [library, vulnerability],
          // A library without an id belongs to its file.
          identify: () =>
            fingerprintOf(
              'checkmarx-osa',
              id,
              library?.name ?? vulnerability.libraryId,
              vulnerability.sourceFileName,
            ),
          repeats: true,
          title: vulnerabilityTitle(id, library?.name, library?.version, description),
          rule_id: id,
          severity: severityOf(vulnerability.severity?.name, severityOfScore(score)),
          description: describeFinding({
            what: escapeMarkdown(description ?? id),
            facts: {
              Library: library?.name,
              Version: library?.version,
              'Newest version': library?.newestVersion,
              State: vulnerability.state?.name,
              File: vulnerability.sourceFileName,
            },
            fix: vulnerability.recommendations
              ? escapeMarkdown(vulnerability.recommendations)
              : upgrade(library?.name, [library?.newestVersion]),
            references: [vulnerability.url],
          }),
          cve: cveOf(id),
          cvss_score: score,
        };
      });
  },
};

const listsOf = (report: Report): unknown[] | undefined => {
  const document = documentOf(report);
  return Array.isArray(document) ? document : undefined;
};
