import { FINDING_FIELDS } from '../../../db/findings/fields.ts';
import { countWildcards, MAX_PATTERN, MAX_WILDCARDS } from '../../../db/rules/patterns.ts';
import { FINDING_STATUSES, SEVERITIES } from '../../../db/schema/values.ts';
import { anyOf, EXAMPLE_ID, flag, text, time, uuid, z } from '../../schema.ts';
import { matching } from '../input.ts';

/** The difference between the findings of two scans. */
export const CHANGES = ['new', 'seen_again', 'gone'] as const;

/** The parameters of a comparison of two scans. A request has all of them or none. */
const COMPARISON = ['scan_id', 'against', 'change'] as const;

const MAX_VALUES = 50;

const scanIdQuery = () => text({ max: 36, example: '01890a5d-ac96-774b-bcce-b302099a8057' });

/** One value or several: repeated, or separated by commas. JSON may also have one value, which is not a list. */
const severalOf = <S extends z.ZodType<string, string>>(
  schema: S,
  { type, description }: { type: Record<string, string>; description: string },
) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [...new Set([given].flat().flatMap((value) => value.split(',')))])
    .pipe(z.array(schema).max(MAX_VALUES, `must have at most ${MAX_VALUES} values`))
    .openapi({
      // Not a union with one value: generators of clients make a class of it.
      type: 'array',
      items: type,
      'x-accepts-one': true,
      description: `${description} One or more values: repeat the parameter or separate the values by commas.`,
    } as object);

const sources = (description: string) =>
  severalOf(text({ max: 255 }), { type: { type: 'string', example: 'semgrep' }, description });

export const projectIds = (description: string) =>
  severalOf(uuid(), { type: { type: 'string', format: 'uuid', example: EXAMPLE_ID }, description });

const glob = () =>
  text({ min: 1, max: MAX_PATTERN })
    .refine((value) => countWildcards(value) <= MAX_WILDCARDS, `must have at most ${MAX_WILDCARDS} wildcards`)
    .openapi({ type: 'string', minLength: 1, maxLength: MAX_PATTERN, example: 'src/**/*.java' });

/** A time (RFC 3339) or a date, which is its first moment in UTC. */
export const moment = (description: string) =>
  z
    .string()
    .transform((given) => (/^\d{4}-\d{2}-\d{2}$/.test(given) ? `${given}T00:00:00Z` : given))
    .pipe(time())
    .openapi({
      type: 'string',
      example: '2026-01-31',
      description: `${description} A time (RFC 3339), or a date for its first moment in UTC.`,
    });

const CVE = FINDING_FIELDS.cve.input;

const RESOLVED = 'Resolved, which means neither `open` nor `confirmed` nor regressed';
const UNRESOLVED_SINCE =
  'Unresolved, which means `open`, `confirmed` or regressed, since they were found or have regressed';

/** The filters of a list of findings, in a query or in JSON. A finding must match all of them. */
export const filterShape = {
  scan_id: scanIdQuery().optional(),
  against: scanIdQuery()
    .optional()
    .openapi({ description: 'The scan to compare `scan_id` with; requires `change`.' }),
  change: z.enum(CHANGES).optional().openapi({
    description:
      'Findings that only `scan_id` reported (`new`), that both scans reported (`seen_again`), or that only `against` reported (`gone`).',
  }),
  project_id: projectIds('Findings of these projects.').optional(),
  min_role: z.enum(['member', 'admin']).optional().openapi({
    description: 'Findings of projects where the caller has at least this role.',
  }),
  severity: anyOf(SEVERITIES).optional(),
  status: anyOf(FINDING_STATUSES).optional(),
  regressed: flag()
    .optional()
    .openapi({ description: 'Whether they were seen again after they were fixed or verified.' }),
  attention: flag().optional().openapi({
    description:
      'With `true`, only findings that need attention: `open` or `confirmed` ones, and those that have regressed.',
  }),
  assignee: severalOf(z.union([z.enum(['me', 'none']), uuid()]) as unknown as z.ZodType<string, string>, {
    type: { type: 'string', example: 'me' },
    description: 'A user id, `me` for the caller, or `none` for findings without an assignee.',
  }).optional(),
  mentions: severalOf(z.union([z.enum(['me']), uuid()]) as unknown as z.ZodType<string, string>, {
    type: { type: 'string', example: 'me' },
    description: 'Findings with a comment that mentions a user: a user id, or `me` for the caller.',
  }).optional(),
  overdue: flag()
    .optional()
    .openapi({ description: 'Whether they are `open` or `confirmed` and `due_at` has passed.' }),
  missing: flag()
    .optional()
    .openapi({ description: 'Whether the latest comparable scan did not report them (`missing_since`).' }),
  ref: text({ min: 1, max: 2_048, example: 'main' })
    .optional()
    .openapi({ description: 'Findings that are present on this branch, tag or pull request now.' }),
  proposed: flag().optional().openapi({
    description: 'Whether only refs that are neither the default branch nor tracked have reported them.',
  }),
  has_exploit: flag().optional().openapi({ description: 'Whether an exploit is attached.' }),
  source: sources('Findings of these sources.').optional(),
  not_source: sources('Findings of no or other sources.').optional(),
  cwe: matching(FINDING_FIELDS.cwe.input).optional(),
  cve: z
    .string()
    .toUpperCase()
    .refine((value) => value === '' || CVE.pattern.test(value), `must have the form ${CVE.form}`)
    .optional()
    .openapi({
      type: 'string',
      pattern: '^(?:|[Cc][Vv][Ee]-[0-9]{4}-[0-9]{4,19})$',
      example: 'CVE-2026-12345',
      description: 'Exactly this CVE; empty for findings without one.',
    }),
  file: text({ max: 1024, example: 'src/search.ts' })
    .optional()
    .openapi({ description: 'Exactly this file; empty for findings without one.' }),
  rule: text({ max: 500, example: 'java.sql-injection' }).optional().openapi({
    description: 'Findings of this rule: those with exactly this `rule_id`, or this title if they have none.',
  }),
  path: glob().optional().openapi({
    description:
      'Findings in files that match this pattern as a whole: `*` and `?` stand for characters except `/`, `**` also for those.',
  }),
  not_path: glob()
    .optional()
    .openapi({ description: 'Findings in files that do not match this pattern, and those without a file.' }),
  found_after: moment('First reported at this time or later.').optional(),
  found_before: moment('First reported before this time.').optional(),
  seen_after: moment('Last reported at this time or later.').optional(),
  seen_before: moment('Last reported before this time.').optional(),
  resolved_after: moment(`${RESOLVED}, at this time or later.`).optional(),
  resolved_before: moment(`${RESOLVED}, before this time.`).optional(),
  resolved_in_time: flag().optional().openapi({
    description:
      'Whether they were resolved within their due date: those of the share of `GET /dashboard/metrics`. Findings without a due date, and those that a rule resolved when they were found, match neither value.',
  }),
  unresolved_after: moment(`${UNRESOLVED_SINCE}, at this time or later.`).optional(),
  unresolved_before: moment(`${UNRESOLVED_SINCE}, before this time.`).optional(),
  changed_after: moment('With an entry in their activity at this time or later.').optional(),
  changed_before: moment('With an entry in their activity before this time.').optional(),
  changed_by: severalOf(z.union([z.enum(['me']), uuid()]) as unknown as z.ZodType<string, string>, {
    type: { type: 'string', example: 'me' },
    description:
      'Findings with an entry in their activity by this actor: the id of a user, a token or a rule, or `me` for the caller. With `changed_after` and `changed_before`, one entry must match all of them.',
  }).optional(),
  q: text({ max: 200 }).optional().openapi({
    description:
      'Text to find in title, file, CVE or `rule_id`. A word can also be the id of a finding, a CWE, a source, or a file with a line (`Export.java:193`).',
  }),
};

/** Which findings. */
export type FindingFilter = Partial<z.output<z.ZodObject<typeof filterShape>>>;

/** Refuses half a comparison of scans. */
export function checkFilter(filter: FindingFilter, context: z.RefinementCtx): void {
  if (filter.against === undefined && filter.change === undefined) return;
  for (const name of COMPARISON.filter((name) => filter[name] === undefined))
    context.addIssue({ code: 'custom', path: [name], message: 'is required' });
}

/** A filter in JSON. A filter that does not exist is refused, because without it more findings match. */
export const Filter = z
  .strictObject(filterShape)
  .superRefine(checkFilter)
  .openapi('FindingFilter', { example: { severity: ['low'], path: 'test/**' } });
