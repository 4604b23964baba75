import { and, inArray } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { FINDING_FIELDS } from '../../db/findings/fields.ts';
import type { Sql } from '../../db/pool/query.ts';
import { isPresent } from '../../db/projects/deletion.ts';
import { countWildcards, MAX_PATTERN, MAX_WILDCARDS } from '../../db/rules/patterns.ts';
import {
  PERSONAS,
  RULE_STATUSES,
  type RuleActions,
  type RuleConditions,
  SEVERITIES,
  TRIAGE_REASONS,
} from '../../db/schema/values.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { matching } from '../findings/input.ts';
import { requireChanges } from '../findings/triage/triage.ts';
import type { Org } from '../orgs/directory.ts';
import { EXAMPLE_ID, id, optional, shown, text, timestamp, uuid, z } from '../schema.ts';

const MAX_VALUES = 50;
const MAX_NOTE = 1_000;
const MAX_DAYS = 3_650;

const anyOf = <S extends z.ZodType>(schema: S) =>
  optional(
    z.array(schema).min(1, 'must not be empty').max(MAX_VALUES, `must have at most ${MAX_VALUES} values`),
  );

const pattern = (example: string) =>
  text({ min: 1, max: MAX_PATTERN, example }).refine(
    (value) => countWildcards(value) <= MAX_WILDCARDS,
    `must have at most ${MAX_WILDCARDS} wildcards`,
  );

const CONDITIONS = [
  'project_id',
  'source',
  'persona',
  'severity',
  'cwe',
  'cve',
  'rule_id',
  'title',
  'path',
] as const;

/** A condition that does not exist is refused, because without it more findings match. */
export const Conditions = z
  .strictObject({
    project_id: anyOf(uuid()),
    source: anyOf(text({ min: 1, max: 255, example: 'semgrep' })),
    persona: anyOf(z.enum(PERSONAS)),
    severity: anyOf(z.enum(SEVERITIES)),
    cwe: anyOf(matching(FINDING_FIELDS.cwe.input).openapi({ example: 'CWE-798' })),
    cve: anyOf(matching(FINDING_FIELDS.cve.input).openapi({ example: 'CVE-2026-12345' })),
    rule_id: anyOf(text({ min: 1, max: 255, example: 'java.sql-injection' })),
    title: anyOf(pattern('Hard-coded *')),
    path: anyOf(pattern('**/test/**')),
  })
  .superRefine((conditions, context) => {
    if (CONDITIONS.every((name) => conditions[name] === undefined))
      context.addIssue({ code: 'custom', path: [], message: 'must have at least one condition' });
  })
  .openapi('RuleConditions', {
    example: { path: ['**/test/**'], severity: ['low', 'info'] },
    description: `A finding must meet all conditions that are given; of the values of a condition, one must match. \`persona\` is that of the scan that reported it first. \`title\` and \`path\` are patterns for the whole text with at most ${MAX_WILDCARDS} wildcards. In \`path\`, \`*\` and \`?\` stand for characters except \`/\`, \`**\` also for those, and \`**\` with a slash behind it for any folders or none. In \`title\`, \`*\` stands for any text and \`?\` for any character, and A to Z are the same as a to z.`,
  });

const ACTIONS = ['status', 'assignee_id', 'due_days'] as const;

export const Actions = z
  .strictObject({
    status: optional(z.enum(RULE_STATUSES)),
    reason: optional(z.enum(TRIAGE_REASONS)),
    note: optional(text({ min: 1, max: MAX_NOTE, trim: true, example: 'Only reachable from tests.' })),
    assignee_id: optional(uuid()),
    due_days: optional(z.int().min(1).max(MAX_DAYS).openapi({ example: 30 })),
    accept_days: optional(z.int().min(1).max(MAX_DAYS).openapi({ example: 90 })),
  })
  .superRefine((actions, context) => {
    if (ACTIONS.every((name) => actions[name] === undefined))
      context.addIssue({ code: 'custom', path: [], message: 'must have a status, an assignee or due_days' });
    for (const name of ['reason', 'note'] as const)
      if (actions[name] !== undefined && actions.status === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is possible only with a status' });
    if (actions.accept_days !== undefined && actions.status !== 'wontfix')
      context.addIssue({
        code: 'custom',
        path: ['accept_days'],
        message: 'is possible only with the status wontfix',
      });
  })
  .openapi('RuleActions', {
    example: { status: 'false_positive', reason: 'used_in_tests' },
    description:
      'At least one of `status`, `assignee_id` (a member of the organization) and `due_days` (after the finding was found). `reason` and `note`, which the activity shows, only with `status`. `accept_days` only with the status `wontfix`: so many days after the rule has decided about a finding, the finding is `open` again; without it, never.',
  });

/** The fields of a rule in requests. */
export const ruleShape = {
  name: text({ min: 1, max: 100, trim: true, example: 'Tests' }),
  enabled: z.boolean().openapi({ example: true, description: 'Whether it decides about new findings.' }),
  conditions: Conditions,
  actions: Actions,
};

export const Rule = z
  .object({
    id: id(),
    name: shown('Tests'),
    enabled: ruleShape.enabled,
    conditions: z
      .object({
        project_id: z.array(id()).optional(),
        source: z.array(shown('semgrep')).optional(),
        persona: z.array(z.enum(PERSONAS)).optional(),
        severity: z.array(z.enum(SEVERITIES)).optional(),
        cwe: z.array(shown('CWE-798')).optional(),
        cve: z.array(shown('CVE-2026-12345')).optional(),
        rule_id: z.array(shown('java.sql-injection')).optional(),
        title: z.array(shown('Hard-coded *')).optional(),
        path: z.array(shown('**/test/**')).optional(),
      })
      .openapi('StoredRuleConditions', { example: { path: ['**/test/**'], severity: ['low', 'info'] } }),
    actions: z
      .object({
        status: z.enum(RULE_STATUSES).optional(),
        reason: z.enum(TRIAGE_REASONS).optional(),
        note: shown('Only reachable from tests.').optional(),
        assignee_id: shown(EXAMPLE_ID).openapi({ format: 'uuid' }).optional(),
        due_days: z.int().openapi({ example: 30 }).optional(),
        accept_days: z.int().openapi({ example: 90 }).optional(),
      })
      .openapi('StoredRuleActions', { example: { status: 'false_positive', reason: 'used_in_tests' } }),
    created_at: timestamp(),
    updated_at: timestamp(),
    matched_count: z.int().optional().openapi({
      example: 12,
      description:
        'How many present findings the rule decided about when they were new, and that was not undone. Only in `GET /rules`.',
    }),
    last_matched_at: timestamp().optional().openapi({
      description: 'When the newest of them was found. Absent: there is none. Only in `GET /rules`.',
    }),
  })
  .openapi('Rule');

/**
 * Checks that projects and the assignee are the organization's.
 * @throws ApiError `validation_error/field_invalid`
 */
export async function requireKnown(
  context: { db: Db; now: Date; org: Org; sql: Sql },
  config: Pick<Config, 'pendingInvitations'>,
  { conditions, actions }: { conditions?: RuleConditions | undefined; actions?: RuleActions | undefined },
): Promise<void> {
  const { db, org } = context;
  const projectIds = conditions?.project_id ?? [];
  if (projectIds.length > 0) {
    const { projects: p } = org.tables;
    const found = await db
      .select({ id: p.id })
      .from(p)
      .where(and(inArray(p.id, projectIds), isPresent(org.tables)));
    const known = new Set(found.map(({ id }) => id));
    const i = projectIds.findIndex((projectId) => !known.has(projectId));
    const details = [
      { field: `conditions.project_id.${i}`, message: 'is not a project of the organization' },
    ];
    if (i >= 0) throw new ApiError('validation_error/field_invalid', { details });
  }
  const { assignee_id } = actions ?? {};
  if (assignee_id) await requireChanges(context, config, [{ change: { assignee_id }, path: 'actions.' }]);
}
