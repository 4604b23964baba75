import { type AnyColumn, eq, type SQL, sql } from 'drizzle-orm';
import { type Fields, findingFields, jsonText } from '../../resources.ts';
import type { OrgTables } from '../../schema/org.ts';
import { csvText } from './csv.ts';

/** How the findings of a list are shown. */
export interface FindingView {
  /** Each as a JSON object, or as a line of CSV. */
  as: 'json' | 'csv';
  /** With the names of its project. */
  named?: boolean;
  /** Without the description, which is not even read then. */
  brief?: boolean;
  /** For people: names in place of ids, and a link. */
  sheet?: Sheet;
}

/** The values in a file for people that are not in the tables of the organization. */
export interface Sheet {
  /** The names of members by id, as JSON. */
  members: string;
  /** The address of findings; an id completes it. */
  url: string;
}

/** The text of a finding. */
export function findingText(tables: OrgTables, view: FindingView): SQL<string> {
  const fields = findingViewFields(tables, view);
  return view.as === 'csv' ? csvText(fields) : jsonText(fields);
}

/** The fields that a view shows. */
export function findingViewFields(tables: OrgTables, { named, brief, sheet }: FindingView): Fields {
  if (sheet) return sheetFields(tables, sheet);
  const whole = findingFields(tables);
  const { description: _, ...others } = whole;
  return { ...(brief ? others : whole), ...(named && projectNames(tables)) };
}

function projectNames({ findings, projects: p }: OrgTables) {
  const ofProject = (column: AnyColumn) =>
    sql<string>`(select ${column} from ${p} where ${eq(p.id, findings.projectId)})`;
  return {
    project_slug: ofProject(p.slug).as('project_slug'),
    project_name: ofProject(p.name).as('project_name'),
  };
}

/** The columns of a file for people, the most important first. Spreadsheets know the form of its times. */
function sheetFields(tables: OrgTables, { members, url }: Sheet): Fields {
  const { findings: f, scans } = tables;
  const time = (column: AnyColumn, name: string) =>
    sql<string>`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`.as(name);
  return {
    title: f.title,
    severity: f.severity,
    status: f.status,
    reason: f.reason,
    project: projectNames(tables).project_name,
    assignee: sql<string>`case when ${f.assigneeId} is not null
      then coalesce(${members}::jsonb ->> ${f.assigneeId}::text, 'A former member') end`.as('assignee'),
    due: time(f.dueAt, 'due'),
    accepted_until: time(f.acceptedUntil, 'accepted_until'),
    file: f.file,
    line: f.line,
    source: f.source,
    rule_id: f.ruleId,
    cwe: f.cwe,
    cve: f.cve,
    cvss_score: f.cvssScore,
    first_seen: time(f.createdAt, 'first_seen'),
    last_seen: time(f.lastSeenAt, 'last_seen'),
    scan: sql<string>`(select ${scans.name} from ${scans} where ${eq(scans.scanId, f.scanId)})`.as('scan'),
    link: sql<string>`${url}::text || ${f.id}::text`.as('link'),
  };
}
