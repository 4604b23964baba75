import type { Rating } from '../finding.ts';
import { identifyCode } from '../identity/identity.ts';
import type { Identify, ImportContext, Result } from '../importer.ts';
import {
  type Description,
  describeFinding,
  excerpt,
  formatLocation,
  inlineCode,
  joined,
} from '../text/markdown.ts';
import { isSecretRule, mapMasked, secretCandidates } from '../text/secrets.ts';

/** A finding of a static analyzer at a place in the source code. */
export interface CodeFinding {
  /** The entries of the report ({@link Result.entries}). */
  entries: readonly unknown[];
  title: string;
  severity: Rating;
  rule_id: string | undefined;
  /** The rule, and what else identifies the finding besides its place. */
  identity: readonly (string | number | undefined)[];
  /** An identity that the tool guarantees, instead of the place. */
  identify?: Identify | undefined;
  /** Names, tags and CWE of the rule, which tell whether it finds secrets. */
  rule?: readonly (string | undefined)[];
  /** As `relativePath` returns it. */
  file?: string | undefined;
  line?: number | undefined;
  endLine?: number | undefined;
  column?: number | undefined;
  /** The flagged lines. */
  code?: string | undefined;
  /** The lines to show. Default: the flagged ones. */
  snippet?: string | undefined;
  /** Data flows, each from source to sink. */
  flows?: readonly (readonly Step[])[];
  /** Further parts of the description, as Markdown. */
  describe: Omit<Description, 'snippet'>;
  cwe?: string | undefined;
  cve?: string | undefined;
  cvss_score?: number | undefined;
  cvss_vector?: string | undefined;
}

/** Results of findings in source code, with identity, place, data flow and masked secrets. */
export function codeResults(
  tool: string,
  findings: readonly CodeFinding[],
  context: ImportContext,
): Result[] {
  const entries = findings.map((finding) => {
    const { file, line, title, code = '', snippet = '', rule = [], cwe, describe } = finding;
    const shown = [...(finding.flows ?? []).flat().map(({ what = '' }) => what), describe.what ?? '', title];
    const secrets = isSecretRule(title, cwe, ...rule)
      ? [
          ...secretCandidates(shownPart(code)),
          // Without line numbers: `12: const`.
          ...secretCandidates(shownPart(snippet).replace(/^\d+: /gm, '')),
          ...shown.flatMap((text) => secretCandidates(text, { prose: true })),
        ]
      : [];
    return {
      finding,
      location: { file, line, secrets: secrets.filter((secret) => !isName(secret, finding)) },
    };
  });
  return mapMasked(entries, context, ({ finding, location }, mask) =>
    resultOf(tool, finding, mask, location, context),
  );
}

/** Generated code has lines of megabytes. The work to mask their literals would be quadratic. */
const shownPart = (code: string): string =>
  code.length > MAX_CODE ? `${code.slice(0, MAX_CODE).toWellFormed()}…` : code;

const MAX_CODE = 10_000;

/** Whether a supposed secret is the name of the rule or of the file. */
const isName = (secret: string, { rule = [], file, identity }: CodeFinding) =>
  rule.includes(secret) || identity.includes(secret) || (file ?? '').includes(secret);

function resultOf(
  tool: string,
  { describe, flows = [], rule: _rule, identity, identify, ...finding }: CodeFinding,
  mask: (text: string) => string,
  { secrets }: { secrets: readonly string[] },
  context: ImportContext,
): Result {
  const { file, line, endLine, column, code, snippet = code, ...rest } = finding;
  const masked = (text: string | null | undefined) => (text ? mask(text) : text);
  const described = flows
    .slice(0, MAX_FLOWS)
    .map((steps) => describeFlow(steps.map((step) => ({ ...step, what: step.what && mask(step.what) }))));
  const where = joined([describe.where, ...described], '\n\n');
  const facts = Object.entries({ ...describe.facts }).map(([label, value]) => [
    label,
    typeof value === 'string' ? mask(value) : value,
  ]);
  return {
    ...rest,
    identify:
      identify ?? identifyCode(tool, identity, { file, line, endLine, column, code, secrets }, context),
    title: mask(finding.title),
    rule_id: finding.rule_id && mask(finding.rule_id),
    description: describeFinding({
      ...describe,
      what: masked(describe.what),
      facts: { Location: formatLocation(file, line), ...Object.fromEntries(facts) },
      where: masked(where),
      snippet: excerpt(masked(snippet && shownPart(snippet))),
      fix: masked(describe.fix),
      details: masked(describe.details),
    }),
    file,
    line,
    column,
  };
}

/** More data flows of one finding say little. */
const MAX_FLOWS = 5;

/** A step of a data flow. */
export interface Step {
  /** As `relativePath` returns it. */
  file?: string | undefined;
  line?: number | undefined;
  /** Describes the step: a name, a line of code, a message. */
  what?: string | undefined;
}

/** A data flow from source to sink as a Markdown list; undefined if it has fewer than two steps. */
export function describeFlow(steps: readonly Step[], title = 'Data flow'): string | undefined {
  const lines = steps.flatMap(({ file, line, what }) => {
    const place = file ? inlineCode(`${file}${line && line > 0 ? `:${line}` : ''}`) : '';
    const text = what?.trim() ? inlineCode(what) : '';
    return place || text ? [joined([place, text], ' ')] : [];
  });
  const distinct = lines.filter((line, index) => line !== lines[index - 1]);
  if (distinct.length < 2) return undefined;
  const shown =
    distinct.length > MAX_STEPS
      ? [...distinct.slice(0, MAX_STEPS - 1), `… (${distinct.length - MAX_STEPS} more)`, distinct.at(-1)]
      : distinct;
  return `${title}:\n\n${shown.map((line, index) => `${index + 1}. ${line}`).join('\n')}`;
}

const MAX_STEPS = 40;
