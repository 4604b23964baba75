import { and, asc, eq, isNull, or, sql } from 'drizzle-orm';
import { validate } from 'uuid';
import type { Database } from '../../db/client.ts';
import { isUniqueViolation, retried } from '../../db/errors.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { isPresent } from '../../db/projects/deletion.ts';
import { takeFormerSlugs } from '../../db/projects/slugs.ts';
import { projectFields } from '../../db/resources.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { deleteProject as deleteOrgProject } from '../projects/delete.ts';
import { isNewProjectSlug } from '../projects/projects.ts';
import { logOperatorEvent } from '../security-events.ts';
import { requireConfirmed } from './confirm.ts';
import { AdminError, EXIT, oneLine } from './error.ts';
import { type ControlCall, operator, operatorActor } from './operator.ts';
import { type OrgTablesCall, readyOrg } from './org-tables.ts';

export interface ProjectSummary {
  id: string;
  name: string;
  slug: string;
  created_at: Date;
  findings: number;
}

/** The projects of an organization with the number of their findings, by slug. */
export async function listProjects(
  database: Database,
  orgName: string,
  migrations: readonly Migration[],
): Promise<ProjectSummary[]> {
  const { tables } = await readyOrg(database, orgName, migrations);
  const { findingCounts: c, projects: p } = tables;
  const { id, name, slug, created_at } = projectFields(tables);
  const findings = sql<number>`coalesce((select sum(${c.count}) from ${c} where ${c.projectId} = ${p.id}), 0)::int`;
  return await database.db
    .select({ id, name, slug, created_at, findings })
    .from(p)
    .where(isPresent(tables))
    .orderBy(asc(p.slug));
}

/** A project by its slug or id; the id takes precedence, as in the API. */
export async function findProject({ db }: Database, tables: OrgTables, name: string) {
  const { projects: p } = tables;
  const isNamed = or(eq(p.slug, name), validate(name) ? eq(p.id, name) : undefined);
  const found = await db
    .select({ id: p.id, name: p.name, slug: p.slug })
    .from(p)
    .where(and(isNamed, isPresent(tables)));
  const project = found.find(({ id }) => id === name.toLowerCase()) ?? found[0];
  if (!project) throw new AdminError(`project "${oneLine(name)}" does not exist`);
  return project;
}

export interface ProjectChange {
  org: string;
  id: string;
  name: string;
  slug: string;
}

/** Changes the name or the slug of a project. */
export async function renameProject(
  { database, log, migrations }: OrgTablesCall,
  { org: orgName, project: projectName }: { org: string; project: string },
  { name, slug }: { name?: string | undefined; slug?: string | undefined },
): Promise<ProjectChange & { changed: boolean }> {
  const newName = name?.trim();
  if (newName === undefined && slug === undefined)
    throw new AdminError('nothing to change: give --name or --slug', EXIT.usage);
  if (newName !== undefined && (newName.length === 0 || newName.length > 200))
    throw new AdminError('a name has 1 to 200 characters', EXIT.usage);
  if (slug !== undefined && !isNewProjectSlug(slug))
    throw new AdminError(
      `"${oneLine(slug)}" cannot be a slug: 2 to 50 lower-case letters, digits and hyphens, and no UUID`,
      EXIT.usage,
    );
  const org = await readyOrg(database, orgName, migrations);
  const before = await findProject(database, org.tables, projectName);
  const { projects: p } = org.tables;
  const isNewSlug = slug !== undefined && slug !== before.slug;
  const row = await retried(() =>
    database.db.transaction(async (tx) => {
      const [updated] = await tx
        .update(p)
        .set({ name: newName, slug, ...(isNewSlug && { formerSlug: before.slug }) })
        .where(and(eq(p.id, before.id), eq(p.slug, before.slug), isPresent(org.tables), isNull(p.transfer)))
        .returning({ id: p.id, name: p.name, slug: p.slug });
      if (updated && isNewSlug)
        await takeFormerSlugs(tx, org.tables, { id: before.id, slugs: [before.slug, updated.slug] });
      return updated;
    }),
  ).catch((error) => {
    throw isUniqueViolation(error) ? new AdminError(`the slug ${slug} is taken`) : error;
  });
  if (!row) throw new AdminError(`the project ${before.slug} was changed meanwhile, or is being transferred`);
  if (isNewSlug) {
    const change = { setting: 'slug', project: row.id, to: row.slug };
    logOperatorEvent(log, 'org_setting_changed', { org: org.slug, operator: operator(), ...change });
  }
  return { org: org.slug, ...row, changed: row.name !== before.name || row.slug !== before.slug };
}

/** Deletes a project, revokes its tokens and tells the owners. Servers remove its findings and scans. */
export async function deleteProject(
  call: OrgTablesCall & ControlCall,
  { org: orgName, project: projectName }: { org: string; project: string },
  confirm: string | undefined,
): Promise<ProjectChange & { tokens_revoked: number }> {
  const { database, log, migrations } = call;
  const org = await readyOrg(database, orgName, migrations);
  const project = await findProject(database, org.tables, projectName);
  requireConfirmed(confirm, project.slug, `this deletes the project ${project.slug} for good`);
  const tokens = await deleteOrgProject(database.db, org, project, operatorActor(call));
  if (tokens === undefined)
    throw new AdminError(`the project ${project.slug} was changed meanwhile, or is being transferred`);
  const fields = { project: project.id, project_slug: project.slug, tokens };
  logOperatorEvent(log, 'project_deleted', { org: org.slug, operator: operator(), ...fields });
  return { org: org.slug, ...project, tokens_revoked: tokens };
}
