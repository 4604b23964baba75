import { z } from 'zod';
import { type Importer, type Report, ReportError, readList } from '../importer.ts';
import { documentsOf } from '../read/report.ts';
import { fields, list, number, object, objects, requiredText, text, texts } from '../read/schema.ts';
import { isObject } from '../read/values.ts';
import { type FoundSecret, secretResults } from '../tools/secret-results.ts';

const Commit = object({
  blob_path: text,
  commit_metadata: object({ commit_id: text, committer_timestamp: text }),
});

const Match = z.object({
  provenance: objects({
    ...fields(text, 'kind', 'path', 'repo_path'),
    first_commit: Commit,
    commit_provenance: Commit,
  }),
  location: object({
    source_span: object({ start: object({ line: number, column: number }) }),
  }),
  groups: texts,
  match_content: text,
  snippet: object({ matching: text }),
});

const Found = z.object({
  rule_name: requiredText,
  ...fields(text, 'rule_text_id', 'match_content', 'comment'),
  groups: texts,
  statuses: texts,
  matches: list(Match),
});

/** `noseyparker report --format jsonl` or `json` */
export const noseyparker: Importer = {
  name: 'noseyparker',
  about: {
    tool: '[Nosey Parker](https://github.com/praetorian-inc/noseyparker)',
    command: '`noseyparker report --format jsonl --output report.jsonl`',
    versions: '0.22, and the layout before',
    identity: 'rule, file, secret',
    severity: 'high',
  },
  acceptsEmptyReport: true,

  detects: (report) => isFound(findingsOf(report)[0]),

  results(report, context) {
    const findings = findingsOf(report).filter((one) => !isObject(one) || Object.keys(one).length > 0);
    if (findings.length > 0 && !findings.some(isFound))
      throw new ReportError('The report was not written by Nosey Parker');
    const places = readList(Found, findings, '', context).flatMap((found): FoundSecret[] => {
      if (found.statuses.length > 0 && found.statuses.every((status) => /^reject/i.test(status))) {
        context.skip('rejected in Nosey Parker', found.matches.length);
        return [];
      }
      return found.matches.flatMap((match) => placesOf(found, match));
    });
    return secretResults('noseyparker', places, context);
  },
};

const findingsOf = (report: Report): unknown[] => documentsOf(report).flat();

const isFound = (value: unknown) => isObject(value) && 'rule_name' in value && Array.isArray(value.matches);

function placesOf(found: z.output<typeof Found>, match: z.output<typeof Match>): FoundSecret[] {
  const groups = match.groups.length > 0 ? match.groups : found.groups;
  const plain = [match.match_content, found.match_content, match.snippet?.matching].filter(
    (one) => one !== undefined,
  );
  const secrets = [...groups, ...groups.map(decode), ...plain].filter((one) => one.trim() !== '');
  const start = match.location?.source_span?.start;
  // The same content in several files and commits.
  const places = match.provenance.map((one) => {
    const inCommit = one.first_commit ?? one.commit_provenance;
    return { inCommit, path: one.path ?? inCommit?.blob_path, repository: one.repo_path };
  });
  return (places.length > 0 ? places : [{ inCommit: undefined, path: undefined, repository: undefined }]).map(
    ({ inCommit, path, repository }) => ({
      rule: found.rule_name,
      path: path?.replace(/^\.\//, ''),
      line: start?.line,
      column: start?.column,
      commit: inCommit?.commit_metadata?.commit_id,
      place: repository,
      secret: groups.join(' ') || (plain[0] ?? ''),
      secrets,
      severity: 'high' as const,
      facts: {
        Id: found.rule_text_id,
        Status: found.statuses.join(', '),
        Comment: found.comment,
        Date: inCommit?.commit_metadata?.committer_timestamp,
      },
    }),
  );
}

function decode(group: string): string {
  try {
    return atob(group);
  } catch {
    return '';
  }
}
