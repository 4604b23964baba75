import { and, eq, ilike, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { type Projects, within } from '../../db/projects/reach.ts';
import { type OrgTables, ruleOf, searchedText, startOf } from '../../db/schema/org.ts';
import type { RuleActions, RuleConditions } from '../../db/schema/values.ts';
import { escapeLike, escapeRegex, matchesGlob } from '../findings/filter/glob.ts';

/** The conditions of a rule in SQL. They match the same findings as `compileRule` does in pushes. */
export function matchesRule(tables: OrgTables, conditions: RuleConditions): SQL | undefined {
  const { findings: f, scans: s } = tables;
  const { project_id, source, persona, severity, cwe, cve, rule_id, title, path } = conditions;
  return and(
    project_id && inArray(f.projectId, project_id),
    source && inArray(f.source, source),
    severity && inArray(f.severity, severity),
    cwe && inArray(f.cwe, cwe),
    cve && inArray(f.cve, cve),
    // The first condition is the one that an index serves.
    rule_id &&
      and(
        inArray(
          startOf(ruleOf(f)),
          rule_id.map((id) => startOf(sql`${id}::text`)),
        ),
        inArray(f.ruleId, rule_id),
      ),
    title && or(...title.map((pattern) => titleMatches(f, pattern))),
    path && or(...path.map((pattern) => matchesGlob(f, pattern))),
    persona &&
      sql`exists (select from ${s} where ${and(eq(s.scanId, f.scanId), inArray(s.persona, persona))})`,
  );
}

/**
 * The open findings that applying actions changes. A finding keeps its assignee, and a due date that someone has set.
 * Without actions, all open ones.
 * @param assignsIn the projects where the actions assign
 */
export function changedBy(
  { findings: f }: OrgTables,
  actions: RuleActions | undefined,
  assignsIn: Projects,
): SQL | undefined {
  const isOpen = eq(f.status, 'open');
  if (actions === undefined || actions.status) return isOpen;
  const { assignee_id, due_days } = actions;
  return and(
    isOpen,
    or(
      assignee_id === undefined ? undefined : and(isNull(f.assigneeId), within(f.projectId, assignsIn)),
      due_days === undefined
        ? undefined
        : and(
            or(isNull(f.dueAt), isNotNull(f.dueDates)),
            sql`${f.dueAt} is distinct from ${f.createdAt} + ${due_days}::int * interval '24 hours'`,
          ),
      assignee_id === undefined && due_days === undefined ? sql`false` : undefined,
    ),
  );
}

const WILDCARD = /\*+|\?/g;
/** A shorter text has no trigram, so that the index does not help to find it. */
const INDEXED_LENGTH = 3;

/** Folds only A to Z, as `titleMatcher` does. */
function titleMatches(f: OrgTables['findings'], pattern: string): SQL | undefined {
  const texts = pattern.split(WILDCARD);
  const wildcards = pattern.match(WILDCARD) ?? [];
  const parts = texts.map((part, i) => {
    const wildcard = wildcards[i];
    return escapeRegex(part) + (wildcard === undefined ? '' : wildcard === '?' ? '.' : '.*');
  });
  // Without the letter I, whose lower case depends on the locale of the database.
  const literal = texts
    .flatMap((part) => part.split(/[^\x20-\x7e]|i/i))
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '');
  const wider = texts.map(escapeLike).join('%');
  return and(
    literal.length < INDEXED_LENGTH ? undefined : ilike(searchedText(f), `%${escapeLike(literal)}%`),
    // Takes less time than the regular expression, which it spares most findings.
    sql`lower(${f.title} collate "C") like lower(${wider}::text collate "C")`,
    sql`lower(${f.title} collate "C") ~ lower(${`^${parts.join('')}$`}::text collate "C")`,
  );
}
