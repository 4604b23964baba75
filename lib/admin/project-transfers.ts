import type { Database } from '../../db/client.ts';
import { cancelTransfer, readTransfers, type TransferState } from '../../db/projects/transfer/transfers.ts';
import { isNewProjectSlug } from '../projects/projects.ts';
import { startTransfer } from '../projects/transfer/start.ts';
import { logOperatorEvent } from '../security-events.ts';
import { requireConfirmed } from './confirm.ts';
import { AdminError, EXIT, oneLine } from './error.ts';
import { type ControlCall, operator, operatorActor } from './operator.ts';
import { type OrgTablesCall, readyOrg, withTables } from './org-tables.ts';
import { findOrg } from './orgs.ts';
import { findProject } from './projects.ts';

interface TransferStart {
  project_id: string;
  project: string;
  org: string;
  to: string;
  slug: string;
  findings: number;
}

const REASONS = {
  taken: 'the other organization has a project with this slug: give another one with --slug',
  changed: 'the project was changed meanwhile, or is being transferred already: see "projects transfers"',
  deleted: 'one of the organizations is deleted',
  denied: 'not allowed',
} as const;

/** Starts the transfer of a project. Servers move it. Quotas are for members: the target may have as many projects as it likes. */
export async function transferProject(
  call: OrgTablesCall & ControlCall,
  { org: orgName, project: projectName, to: targetName }: { org: string; project: string; to: string },
  { slug, confirm }: { slug?: string | undefined; confirm?: string | undefined },
): Promise<TransferStart> {
  const { database, log, migrations } = call;
  if (slug !== undefined && !isNewProjectSlug(slug))
    throw new AdminError(
      `"${oneLine(slug)}" cannot be a slug: 2 to 50 lower-case letters, digits and hyphens, and no UUID`,
      EXIT.usage,
    );
  const source = await readyOrg(database, orgName, migrations);
  const target = await readyOrg(database, targetName, migrations);
  if (source.id === target.id) throw new AdminError(`the project is in ${source.slug} already`);
  const project = await findProject(database, source.tables, projectName);
  requireConfirmed(
    confirm,
    project.slug,
    `this moves the project ${project.slug} to ${target.slug} and revokes its tokens`,
  );
  const wish = {
    source,
    target: await withTables(call, target),
    project,
    slug: slug ?? project.slug,
    actor: operatorActor(call),
  };
  const findings = await startTransfer(database.db, wish);
  if (typeof findings === 'string') throw new AdminError(REASONS[findings]);
  const about = { project: project.id, project_slug: project.slug, to_org: target.id };
  logOperatorEvent(log, 'project_transfer_started', { org: source.slug, operator: operator(), ...about });
  const names = { project_id: project.id, project: project.slug, org: source.slug, to: target.slug };
  return { ...names, slug: wish.slug, findings };
}

/** The transfers in progress: all, or those of an organization in either direction. */
export async function listTransfers(database: Database, orgName?: string): Promise<TransferState[]> {
  const org = orgName === undefined ? undefined : await findOrg(database.db, orgName);
  return await readTransfers(database.sql, org && { orgId: org.id });
}

/** Cancels a transfer. Servers end it. */
export async function cancelProjectTransfer(
  { database, log, migrations }: OrgTablesCall,
  { org: orgName, project: projectName }: { org: string; project: string },
): Promise<{ org: string; project: string; project_id: string }> {
  const source = await readyOrg(database, orgName, migrations);
  const { id, slug } = await findProject(database, source.tables, projectName);
  if (!(await cancelTransfer(database.sql, { projectId: id, sourceId: source.id })))
    throw new AdminError(`${slug} is not being transferred`);
  logOperatorEvent(log, 'project_transfer_cancelled', {
    org: source.slug,
    operator: operator(),
    project: id,
  });
  return { org: source.slug, project: slug, project_id: id };
}
