import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, type Importer, readList } from '../importer.ts';
import { type CodeFinding, codeResults } from '../kinds/code.ts';
import { hasRoot, rootOf } from '../read/report.ts';
import { fields, list, number, objects, optional, requiredText, text, textAt } from '../read/schema.ts';
import { elementAt, elements } from '../read/values.ts';
import { cweOf, isInWorkspace, relativePath, severityIn } from '../support.ts';
import { htmlToMarkdown } from '../text/html.ts';
import { escapeMarkdown } from '../text/markdown.ts';

const SourceLine = z.object({
  '@_start': number,
  '@_end': number,
  ...fields(text, '@_sourcepath', '@_relSourcepath', '@_primary'),
});
type SourceLine = z.output<typeof SourceLine>;

const Class = z.object({ '@_classname': text, SourceLine: list(SourceLine) });

const BugInstance = z.object({
  '@_type': requiredText,
  '@_priority': number,
  '@_rank': number,
  ...fields(text, '@_category', '@_cweid', '@_instanceHash', 'ShortMessage', 'LongMessage'),
  Class: list(Class),
  Method: objects({ '@_classname': text, '@_name': text, '@_signature': text, SourceLine: list(SourceLine) }),
  SourceLine: list(SourceLine),
  String: objects({ '@_value': text, '@_role': text }),
});
type BugInstance = z.output<typeof BugInstance>;

const Pattern = z.object({ '@_type': requiredText, ShortDescription: text, Details: text, '@_cweid': text });

/** `spotbugs -xml:withMessages`, also with Find Security Bugs. */
export const spotbugs: Importer = {
  name: 'spotbugs',
  about: {
    tool: '[SpotBugs](https://spotbugs.github.io), Find Security Bugs',
    command: '`spotbugs -textui -xml:withMessages -output report.xml …`',
    versions: '4.2 and 4.4',
    identity: 'bug type, class, method, and the hash of SpotBugs, which does not depend on lines',
    severity: '`priority`: 1 is high, 2 medium, 3 low',
  },

  detects: (report) => hasRoot(report, 'BugCollection'),

  category: (report) => textAt(rootOf(report, 'BugCollection'), 'Project', '@_projectName'),

  results(report, context) {
    const collection = elementAt(report.kind === 'xml' ? report.document : undefined, 'BugCollection');
    recordErrors(collection, context);
    const patterns = new Map(
      list(Pattern)
        .parse(elements(collection, 'BugPattern'))
        .map((pattern) => [pattern['@_type'], pattern]),
    );
    const directories = elements(collection, 'Project', 'SrcDir').flatMap(
      (directory) => text.parse(directory) ?? [],
    );
    const bugs = readList(
      BugInstance,
      elements(collection, 'BugInstance'),
      'BugCollection.BugInstance',
      context,
    );
    return codeResults(
      'spotbugs',
      bugs.map((bug): CodeFinding => {
        const type = bug['@_type'];
        const pattern = optional(Pattern).parse(patterns.get(type));
        const place = placeOf(bug);
        const file = fileOf(place, directories, context);
        const [method] = bug.Method;
        const className = bug.Class[0]?.['@_classname'] ?? method?.['@_classname'];
        const methodName = method?.['@_name'];
        const hash = bug['@_instanceHash'];
        const title = bug.ShortMessage ?? pattern?.ShortDescription ?? type;
        const identity = [type, className, methodName, method?.['@_signature']];
        return {
          entries: [bug],
          title: bug.LongMessage ?? title,
          rule_id: type,
          severity: severityIn(
            { 1: 'high', 2: 'medium', 3: 'low', 4: 'low', 5: 'info' },
            String(bug['@_priority'] ?? ''),
          ),
          identity,
          identify: hash ? () => fingerprintOf('spotbugs', ...identity, hash) : undefined,
          rule: [type, title],
          file,
          line: place?.['@_start'],
          endLine: place?.['@_end'],
          describe: {
            what: escapeMarkdown(bug.LongMessage ?? title),
            facts: {
              Bug: type,
              Category: bug['@_category'],
              Class: className,
              Method: methodName,
              Rank: bug['@_rank'],
              ...Object.fromEntries(
                bug.String.flatMap(({ '@_role': role, '@_value': value }) =>
                  role && /^(?:Sink|Unknown source|Tainted)/i.test(role) ? [[role, value]] : [],
                ),
              ),
            },
            help: htmlToMarkdown(pattern?.Details),
          },
          cwe: cweOf(bug['@_cweid'], pattern?.['@_cweid']),
        };
      }),
      context,
    );
  },
};

/** The primary place of a bug, or that of its method or class. */
function placeOf({
  SourceLine: lines,
  Method: methods,
  Class: classes,
}: BugInstance): SourceLine | undefined {
  return (
    lines.find((line) => line['@_primary'] === 'true') ??
    lines[0] ??
    methods[0]?.SourceLine[0] ??
    classes[0]?.SourceLine[0]
  );
}

/** The path of a source file, which SpotBugs names relative to a source directory. */
function fileOf(
  place: SourceLine | undefined,
  directories: readonly string[],
  context: ImportContext,
): string | undefined {
  const path = place?.['@_sourcepath'];
  if (!place || !path) return undefined;
  if (place['@_relSourcepath']) return relativePath(place['@_relSourcepath'], context);
  const listed = directories.find((directory) => directory.replaceAll('\\', '/').endsWith(`/${path}`));
  if (listed) return relativePath(listed, context);
  const [only] = directories;
  return relativePath(
    directories.length === 1 && isInWorkspace(only, context) ? `${only}/${path}` : path,
    context,
  );
}

function recordErrors(collection: unknown, context: ImportContext) {
  for (const errors of elements(collection, 'Errors')) {
    for (const error of elements(errors, 'Error')) {
      const message = text.parse(error.ErrorMessage) ?? text.parse(error.Exception) ?? text.parse(error);
      context.error(`SpotBugs failed: ${message ?? 'no reason given'}`);
    }
    const missing = elements(errors, 'MissingClass').flatMap((name) => text.parse(name) ?? []);
    if (missing.length > 0)
      context.warn(`Classes that are missing on the class path: ${missing.slice(0, 5).join(', ')}`);
  }
}
