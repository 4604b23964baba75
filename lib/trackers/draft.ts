import type { Severity } from '../../db/schema/values.ts';
import type { Block } from './blocks.ts';
import type { NewIssue } from './tracker.ts';

/** A finding that gets an issue. */
export interface IssueFinding {
  title: string;
  severity: Severity;
  description: string;
  /** The name of its project. */
  project: string;
  file?: string | null | undefined;
  line?: number | null | undefined;
  rule_id?: string | null | undefined;
  cve?: string | null | undefined;
  cwe?: string | null | undefined;
  /** The address of its page in this service. */
  url: string;
}

/** Findings that an issue lists with their values. */
const MAX_LISTED = 50;

const MADE = 'svc-findings made this issue. The text below is as scanners reported it.';

/** The values of a finding that are known. */
function factsOf({ severity, project, file, line, rule_id, cve, cwe }: IssueFinding): [string, string][] {
  const location = file && typeof line === 'number' ? `${file}:${line}` : file;
  const facts: [string, string | null | undefined][] = [
    ['Severity', severity],
    ['Project', project],
    ['Location', location],
    ['Rule', rule_id],
    ['CVE', cve],
    ['CWE', cwe],
  ];
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}

const open = ({ url }: IssueFinding): Block => ({
  kind: 'link',
  text: 'Open the finding in svc-findings',
  url,
});

/** The content of an issue about one finding or several, the first of which names it. */
export function draftOf(
  first: IssueFinding,
  others: readonly IssueFinding[] = [],
): Pick<NewIssue, 'title' | 'blocks'> {
  const facts: Block = { kind: 'facts', facts: factsOf(first) };
  const description: Block = { kind: 'reported', heading: 'Description', text: first.description };
  const intro: Block = { kind: 'text', text: MADE };
  if (others.length === 0) return { title: first.title, blocks: [intro, facts, description, open(first)] };
  const listed = others.slice(0, MAX_LISTED - 1);
  const left = others.length - listed.length;
  return {
    title: `${first.title} (and ${others.length} more)`,
    blocks: [
      intro,
      ...[first, ...listed].flatMap((finding): Block[] => [
        { kind: 'facts', facts: [['Finding', finding.title], ...factsOf(finding)] },
        open(finding),
      ]),
      ...(left > 0 ? [{ kind: 'facts' as const, facts: [['More findings', String(left)] as const] }] : []),
      description,
    ],
  };
}
