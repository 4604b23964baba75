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
}

/** The text of a finding. */
export function findingText(tables: OrgTables, view: FindingView): SQL<string> {
  const fields = findingViewFields(tables, view);
  return view.as === 'csv' ? csvText(fields) : jsonText(fields);
}

/** The fields that a view shows. */
export function findingViewFields(tables: OrgTables, { named, brief }: FindingView): Fields {
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
