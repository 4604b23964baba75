import { sql } from 'drizzle-orm';
import { createBatcher } from '../batcher.ts';
import type { Database } from '../client.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { perOrg } from '../schema/org-schema.ts';
import type { ProjectRole } from '../schema/values.ts';
import { arrayText, orgStatement, type SqlClient } from '../statements.ts';

/** The roles of a member by project. */
export type ProjectRoles = ReadonlyMap<string, ProjectRole>;

type Org = { id: string; tables: OrgTables };

interface Row {
  user_id: string;
  project_id: string;
  role: ProjectRole;
}

const ofUsers = orgStatement<{ users: string }, Row>(
  ({ projectMembers }, $) =>
    sql`select user_id, project_id, role from ${projectMembers} where user_id = any (${$.users}::uuid[])`,
);

const MAX_GROUP = 100;

/** Reads the projects of members. @returns an entry for each of them */
export async function readProjectRoles(
  client: SqlClient,
  tables: OrgTables,
  users: readonly string[],
): Promise<Map<string, ProjectRoles>> {
  const found = new Map(users.map((user) => [user, new Map<string, ProjectRole>()]));
  for (const { user_id, project_id, role } of await ofUsers(tables).run(client, { users: arrayText(users) }))
    found.get(user_id)?.set(project_id, role);
  return found;
}

const ofProjects = orgStatement<{ projects: string; members: string }, Pick<Row, 'user_id' | 'project_id'>>(
  ({ projectMembers }, $) => sql`
select user_id, project_id from ${projectMembers}
where project_id = any (${$.projects}::uuid[]) and user_id = any (${$.members}::uuid[])`,
);

/** Reads which of some projects are assigned to members. @returns by member */
export async function readAssigned(
  client: SqlClient,
  tables: OrgTables,
  projects: readonly string[],
  members: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (projects.length === 0 || members.length === 0) return found;
  const params = { projects: arrayText(projects), members: arrayText(members) };
  const rows = await ofProjects(tables).run(client, params);
  for (const { user_id, project_id } of rows) {
    const others = found.get(user_id);
    if (others) others.push(project_id);
    else found.set(user_id, [project_id]);
  }
  return found;
}

/** Reads the projects of a member. Reads that arrive while a statement runs share the next one, as the look-up of sessions does. */
export type ProjectMembers = (org: Org, userId: string) => Promise<ProjectRoles>;

export function createProjectMembers(database: Pick<Database, 'of'>): ProjectMembers {
  const inOrg = perOrg((org: Org) =>
    createBatcher<string, ProjectRoles, Sql>({
      acquire: database.of(org).withConnection,
      maxConcurrent: 3,
      maxItems: MAX_GROUP,
      async run(users, client) {
        const found = await readProjectRoles(client, org.tables, users);
        return users.map((user) => found.get(user) ?? new Map());
      },
    }),
  );
  return (org, userId) => inOrg(org)(userId);
}
