import { z } from 'zod';
import { type ImportContext, type Importer, type Result, readRequired } from '../importer.ts';
import { upgrade, vulnerabilityResult } from '../kinds/dependency.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, list, object, requiredText, text, texts } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { relativePath, severityOf } from '../support.ts';
import { escapeMarkdown, joined } from '../text/markdown.ts';

const Vulnerability = z.object({
  ...fields(text, 'severity', 'below', 'atOrAbove'),
  info: texts,
  cwe: texts,
  identifiers: object({
    ...fields(text, 'summary', 'githubID', 'issue', 'bug', 'retid'),
    CVE: texts,
    osvdb: texts,
  }),
});

const Library = z.object({
  component: requiredText,
  version: text,
  detection: text,
  vulnerabilities: list(Vulnerability),
});

const File = z.object({
  file: text,
  results: z.array(z.unknown()).transform((value) => list(Library).parse(value)),
});

/** `retire --outputformat json` */
export const retire: Importer = {
  name: 'retire',
  about: {
    tool: '[Retire.js](https://retirejs.github.io/retire.js/)',
    command: '`retire --outputformat json --outputpath report.json`',
    versions: '2.2',
    identity: 'file, library, advisory',
  },

  detects: (report) => {
    const document = documentOf(report);
    const [first] = [property(document, 'data')].flat();
    return (
      hasKind(document, { data: 'list', errors: 'list', version: 'text' }) &&
      (first === undefined || hasKind(first, { results: 'list' }))
    );
  },

  results(report, context) {
    const document = documentOf(report);
    const files = readRequired(File, document, 'data', context);
    for (const failure of [property(document, 'errors') ?? []].flat())
      context.error(String(property(failure, 'message') ?? failure));
    return files.flatMap(({ file, results }) =>
      results.flatMap((library) =>
        library.vulnerabilities.map((found) => toResult(found, library, file, context)),
      ),
    );
  },
};

function toResult(
  found: z.output<typeof Vulnerability>,
  library: z.output<typeof Library>,
  path: string | undefined,
  context: ImportContext,
): Result {
  const { component: name, version, detection } = library;
  const { identifiers, below, atOrAbove, info } = found;
  const { CVE: cves = [], summary, githubID, retid, issue, bug, osvdb = [] } = identifiers ?? {};
  const issues = [githubID, retid, issue && `issue ${issue}`, bug && `bug ${bug}`, ...osvdb];
  return vulnerabilityResult({
    tool: 'retire',
    entries: [library, found],
    // Several problems may share a CVE.
    identity: [name, ...cves.slice(1), summary],
    id: cves[0] ?? issues.find(Boolean) ?? summary ?? 'Vulnerable version',
    shown: cves[0] ?? issues.find(Boolean) ?? 'Vulnerable version',
    aliases: [...cves, githubID],
    name,
    version,
    summary,
    severity: severityOf(found.severity, 'medium'),
    cwes: found.cwe,
    file: relativePath(path, context),
    description: {
      what: escapeMarkdown(summary ?? ''),
      facts: {
        'Vulnerable versions': joined([atOrAbove && `>= ${atOrAbove}`, below && `< ${below}`], ' '),
        'Detected by': detection,
      },
      fix: upgrade(name, [below]),
      references: info,
    },
  });
}
