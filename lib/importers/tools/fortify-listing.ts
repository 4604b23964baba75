import { z } from 'zod';
import { leavesOf } from '../identity/entries.ts';
import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, readList, skipped } from '../importer.ts';
import type { CodeFinding } from '../kinds/code.ts';
import { fields, list, number, objects, requiredText, text } from '../read/schema.ts';
import { elements, isObject } from '../read/values.ts';
import { cweOf, firstRated, relativePath, severityOf } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

const Place = z.object({
  ...fields(text, 'FileName', 'FilePath', 'Snippet', 'TargetFunction'),
  LineStart: number,
});

const Issue = z.object({
  ...fields(text, '@_iid', 'Kingdom', 'Abstract', 'Friority', 'Folder', 'ExternalCategory'),
  Category: requiredText,
  Tag: objects({ Name: text, Value: text }),
  Primary: list(Place),
  Source: list(Place),
});

const MetaInfo = z.object({ Name: requiredText, Value: text });

/** The issues of a report, which groups them. Some reports list an issue in several groups. */
export function readListing(document: unknown, context: ImportContext): CodeFinding[] {
  const groups = groupsOf(document);
  const read = groups.flatMap((group) => {
    const help = helpOf(group);
    return readList(Issue, elements(group, 'Issue'), 'Issue', context).map((issue) => ({ issue, help }));
  });
  const known = new Map<string, Map<string, string>>();
  return read.flatMap(({ issue, help }) => {
    const id = issue['@_iid'];
    const values = new Map(leavesOf([issue]).map(([path, found]) => [path, found.join('\n')]));
    const before = id === undefined ? undefined : known.get(id);
    // Some sections list fewer values.
    if (before && [...values].every(([path, value]) => (before.get(path) ?? value) === value)) return [];
    if (id !== undefined) known.set(id, values);
    if (issue.Tag.some(isNotAnIssue)) return skipped('they are audited as “Not an Issue”', context);
    const [sink] = issue.Primary;
    const fileOf = (place: z.output<typeof Place> | undefined) =>
      relativePath(place?.FilePath ?? place?.FileName, context);
    const places = [...issue.Source, ...issue.Primary];
    return {
      entries: [issue],
      title: issue.Category,
      rule_id: issue.Category,
      severity: severityOf(firstRated(issue.Friority, issue.Folder)),
      identity: [issue.Category],
      identify: id ? () => fingerprintOf('fortify', id) : undefined,
      rule: [issue.Category],
      file: fileOf(sink),
      line: sink?.LineStart,
      snippet: sink?.Snippet,
      flows: [
        places.map((place) => ({ file: fileOf(place), line: place.LineStart, what: place.TargetFunction })),
      ],
      describe: {
        what: escapeMarkdown(issue.Abstract ?? help.get('Abstract') ?? issue.Category),
        facts: { Kingdom: issue.Kingdom, Function: sink?.TargetFunction },
        fix: escapeMarkdown(help.get('Recommendations') ?? ''),
        help: escapeMarkdown(help.get('Explanation') ?? ''),
      },
      cwe: cweOf(/\bCWE(?: ID)?[- ]\d+/i.exec(issue.ExternalCategory ?? '')?.[0].replace(/ ID/i, '')),
    };
  });
}

/** Another tag, such as a prediction, decides nothing. */
const isNotAnIssue = ({
  Name = 'Analysis',
  Value = '',
}: {
  Name?: string | undefined;
  Value?: string | undefined;
}) => /^analysis$/i.test(Name.trim()) && /^not an issue$/i.test(Value.trim());

/** All elements that contain issues. The depth is that of the report's sections. */
function groupsOf(value: unknown, depth = 0): Record<string, unknown>[] {
  if (depth > MAX_DEPTH || !isObject(value)) return [];
  const inner = Object.values(value).flatMap((child) =>
    Array.isArray(child) ? child.flatMap((one) => groupsOf(one, depth + 1)) : [],
  );
  return Array.isArray(value.Issue) ? [value, ...inner] : inner;
}

const MAX_DEPTH = 20;

/** The texts of a group: `Abstract`, `Explanation`, `Recommendations`. */
function helpOf(group: unknown): Map<string, string> {
  const infos = elements(group, 'MajorAttributeSummary').flatMap((summary) => elements(summary, 'MetaInfo'));
  return new Map(
    list(MetaInfo)
      .parse(infos)
      .flatMap(({ Name, Value }) => (Value ? [[Name, Value]] : [])),
  );
}
