import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { isResolved } from '../findings/changes/write.ts';
import type { OrgTables } from '../schema/org.ts';

/** An array of the ids of projects. */
type Projects = SQL | Placeholder;

/* Conditions about the findings `f` of an issue, in the projects that its integration is for (an array; null: all). */

/** Whether nobody needs to act on a finding. */
export const RESOLVED = isResolved(sql.raw('f.status'), sql.raw('f.regressed'));

export const inProjects = (projects: Projects): SQL =>
  sql`(${projects}::uuid[] is null or f.project_id = any (${projects}::uuid[]))`;

const hasFinding = ({ findingIssues, findings }: OrgTables, projects: Projects, condition: SQL): SQL =>
  sql`exists (select 1 from ${findingIssues} l join ${findings} f on f.id = l.finding_id
    where l.issue_id = i.id and ${inProjects(projects)} and ${condition})`;

/** Whether a finding of the issue `i` needs work. */
export const hasUnresolved = (tables: OrgTables, projects: Projects): SQL =>
  hasFinding(tables, projects, sql`not ${RESOLVED}`);

/** Whether a scan has reported a finding of the issue `i` again since the tracker was told. */
export const hasRegressed = (tables: OrgTables, projects: Projects): SQL =>
  hasFinding(tables, projects, sql`f.regressed and f.regressed_at > i.told_at`);
