import type { TestApp } from '../server/app.ts';
import { addMember, addProject, createOrg, createScan, push } from './api.ts';

export const PROJECTS = ['mine', 'seen', 'hidden'] as const;
export type ProjectName = (typeof PROJECTS)[number];
export type ByProject<T> = Record<ProjectName, T>;

export async function byProject<T>(make: (name: ProjectName) => Promise<T>): Promise<ByProject<T>> {
  const made: [ProjectName, T][] = [];
  for (const name of PROJECTS) made.push([name, await make(name)]);
  return Object.fromEntries(made) as ByProject<T>;
}

/**
 * An organization with a scan and a finding in each of three projects, and a member with the role `admin` who is limited to two of them:
 * `admin` of `mine` and `viewer` of `seen`.
 */
export async function createLimited({ api, services }: TestApp, fields: object = {}) {
  const mine = await createOrg(api);
  const orgs = {
    mine,
    seen: await addProject(api, mine, 'Seen'),
    hidden: await addProject(api, mine, 'Hidden'),
  };
  const scans = await byProject((name) => createScan(api, orgs[name]));
  const findings = await byProject(
    async (name) => (await push(api, orgs[name], scans[name], { ...fields, title: name })).id,
  );
  const cyd = await addMember(api, mine, 'admin');

  /** Runs a statement in which `ORG` is the schema of the organization. */
  const run = (text: string, params: string[] = []) =>
    services.database.sql.unsafe(text.replaceAll('ORG', `"org_${mine.id.replaceAll('-', '')}"`), params);

  /** Limits a member to projects, or lets the member reach all. */
  async function assign({ id }: { id: string }, roles: Partial<ByProject<string>> | 'all') {
    const access = roles === 'all' ? 'all' : 'assigned';
    await run('update shared.memberships set project_access = $1 where user_id = $2', [access, id]);
    await run('delete from ORG.project_members where user_id = $1', [id]);
    for (const [name, role] of roles === 'all' ? [] : Object.entries(roles))
      await run('insert into ORG.project_members values ($1, $2, $3, now())', [
        ...[id, orgs[name as ProjectName].projectId, role],
      ]);
  }

  await assign(cyd, { mine: 'admin', seen: 'viewer' });
  return { orgs, scans, findings, cyd, run, assign };
}
