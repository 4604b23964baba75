import { sql } from 'drizzle-orm';
import type { Push } from '../findings/ingest/push.ts';
import { onlyMembers } from '../rules/members.ts';
import { createPersonas, type Personas } from '../rules/personas.ts';
import {
  type CompiledRule,
  compileRule,
  fieldsOf,
  type Rule,
  type RuledFields,
  toMatch,
} from '../rules/rules.ts';
import type { OrgTables } from '../schema/org.ts';
import { perOrg } from '../schema/org-schema.ts';
import { SEVERITIES } from '../schema/values.ts';
import { orgStatement, type SqlClient } from '../statements.ts';
import { type DueDays, daysOfProject, dueDatesOf, OF_ORG } from './due-dates.ts';

/*
 * Policies decide about new findings. A process reads them once and keeps them with their version. The statement that writes
 * pushes compares the version with the stored one; if another process has changed the policies, it writes nothing, and the
 * process reads them again. Organizations without policies have version 0, which needs no reading.
 */

/** The policies of an organization. */
export interface Policies {
  version: number;
  /** Days by project; {@link OF_ORG} for the organization. */
  dueDays: ReadonlyMap<string, DueDays>;
  /** The enabled rules, in their order. */
  rules: readonly CompiledRule[];
  /** Set if a rule has a condition on the persona. */
  personas: Personas | undefined;
  /** At most the memory that they take. */
  bytes: number;
}

const NO_POLICIES: Policies = { version: 0, dueDays: new Map(), rules: [], personas: undefined, bytes: 0 };

/** The policies of an organization that this process has read last. */
export interface KnownPolicies {
  readonly current: Policies;
  replace(policies: Policies): void;
}

export type PolicyCache = (org: { id: string }) => KnownPolicies;

/** The limit for all organizations. The policies that were read first are dropped, and read again when they are needed. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A character in a pattern is a text of its own. */
const BYTES_OF_CHARACTER = 32;

export function createPolicyCache(maxBytes = MAX_BYTES): PolicyCache {
  const kept = new Set<{ current: Policies }>();
  let bytes = 0;
  const drop = (known: { current: Policies }) => {
    if (kept.delete(known)) bytes -= known.current.bytes;
    known.current = NO_POLICIES;
  };
  return perOrg(() => {
    const known = {
      current: NO_POLICIES,
      replace(policies: Policies) {
        drop(known);
        known.current = policies;
        kept.add(known);
        bytes += policies.bytes;
        for (const oldest of kept) if (bytes > maxBytes && oldest !== known) drop(oldest);
      },
    };
    return known;
  });
}

interface Row {
  version: number;
  due_days: (DueDays & { project_id: string })[] | null;
  rules: Rule[] | null;
}

const readStatement = orgStatement<object, Row>(
  ({ dueDates, policyVersions, rules }) => sql`
select coalesce((select version from ${policyVersions}), 0) as version,
  (select json_agg(d) from ${dueDates} d) as due_days,
  (select json_agg(json_build_object('id', id, 'conditions', conditions, 'actions', actions) order by position, id)
    from ${rules} where enabled and deleted_at is null) as rules`,
);

/** Reads the policies and their version in one snapshot. */
export async function readPolicies(
  client: SqlClient,
  org: { id: string; tables: OrgTables },
): Promise<Policies> {
  const [row] = await readStatement(org.tables).run(client, {});
  if (!row) return NO_POLICIES;
  const rules = await onlyMembers(client, org, row.rules ?? []);
  return {
    version: row.version,
    dueDays: new Map(row.due_days?.map(({ project_id, ...days }) => [project_id, days])),
    rules: rules.map(compileRule),
    personas: rules.some(({ conditions }) => conditions.persona) ? createPersonas() : undefined,
    bytes: JSON.stringify(row).length * BYTES_OF_CHARACTER,
  };
}

/** The fields of a finding that follow from the policies. */
export interface Decided extends RuledFields {
  due_dates?: (string | null)[];
}

/** Other requests get a turn after so many steps of patterns and texts, which take at most 10 ms. */
const STEPS_AT_ONCE = 50_000;

/**
 * Decides about pushes, in case they are new findings or regressions of known ones.
 * @param timeOf gives the time of a push by its index
 */
export async function decideAll(
  policies: Policies,
  pushes: readonly Push[],
  timeOf: (i: number) => Date,
  { sql: client, tables }: { sql: SqlClient; tables: OrgTables },
): Promise<Decided[]> {
  const { dueDays, personas, rules } = policies;
  const decided = pushes.map(
    (push, i): Decided => (dueDays.size === 0 ? {} : dueOf(dueDays, push, timeOf(i))),
  );
  if (rules.length === 0) return decided;
  const scanIds = pushes.map(({ scan_id }) => scan_id);
  const personaOf = await personas?.(client, tables, scanIds);
  let steps = 0;
  for (const [i, push] of pushes.entries()) {
    const matched = toMatch({ ...push, persona: personaOf?.get(push.scan_id) });
    steps += matched.steps;
    const rule = rules.find((one) => {
      steps += one.steps;
      return one.matches(matched);
    });
    if (rule) Object.assign(decided[i] as Decided, fieldsOf(rule, push.project_id, timeOf(i)));
    if (steps > STEPS_AT_ONCE) {
      await new Promise((turn) => setImmediate(turn));
      steps = 0;
    }
  }
  return decided;
}

function dueOf(dueDays: Policies['dueDays'], { project_id, severity }: Push, at: Date): Decided {
  const days = daysOfProject(dueDays.get(OF_ORG), dueDays.get(project_id));
  if (!days || SEVERITIES.every((name) => days[name] === null)) return {};
  const due_dates = dueDatesOf(days, at);
  const due_at = due_dates[SEVERITIES.indexOf(severity)];
  return { due_dates, ...(due_at && { due_at }) };
}
