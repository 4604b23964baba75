import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints as table } from '../../handlers/index.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import { type Answer, must } from '../support/api/api.ts';
import { createLimited, type ProjectName } from '../support/api/limited.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* All endpoints of organizations, called by a member whose access is limited to projects. Refused calls change nothing. */

let api: TestApp['api'];
let { orgs, scans, findings, cyd } = {} as Awaited<ReturnType<typeof createLimited>>;
/** A personal token of the member. */
let personal: object;

const DENIED = [403, 'permission_error/denied'];
const NOT_FOUND = [404, 'resource_error/not_found'];
const outcome = ({ status, error }: Answer) => [status, error];

beforeAll(async () => {
  const t = await startApp();
  ({ api } = t);
  ({ orgs, scans, findings, cyd } = await createLimited(t));
  const body = { name: 'script', scopes: ['admin'], expires_in: 30 };
  const { token } = must(await api.post('/profile/tokens', { cookie: cyd.cookie, body }));
  personal = { token, org: orgs.mine.slug };
});

/** From the root. */
const pathOf = (path: string, values: readonly string[]) => {
  const left = [...values];
  return `/${path.replace(/\{\w+\}/g, () => left.shift() ?? crypto.randomUUID())}`;
};
const inOrganization = (Object.values(table) as Endpoint[]).flatMap((endpoint) =>
  endpoint.access.kind === 'cookieOrg' ? [{ ...endpoint, access: endpoint.access }] : [],
);
const titled = <E extends { method: string; path: string }>(list: E[]): [string, E][] =>
  list.map((one) => [`${one.method} ${one.path}`, one]);

/** The credentials of the member: a session and a personal token with all scopes. */
const waysOf = (tokens: string): object[] => (tokens === 'none' ? [cyd.as] : [cyd.as, personal]);

describe('endpoints that name a project, finding or scan', () => {
  const named = inOrganization.filter(({ access }) =>
    ['project', 'finding', 'scan'].includes(access.project),
  );
  const NO_DUE_DATES = { critical: null, high: null, medium: null, low: null, info: null };
  /** A body that nearly all of them accept. */
  const BODY = {
    ...{
      body: 'A comment.',
      status: 'confirmed',
      confirm: 'x',
      name: 'x',
      role: 'viewer',
      expected_count: 1,
    },
    ...NO_DUE_DATES,
    integration_id: crypto.randomUUID(),
    ...{ issuer: 'https://gitlab.com', claims: { project_id: 28 } },
  };

  it.each(titled(named))('%s', async (_, { method, path, access }) => {
    const idOf = {
      project: (name: ProjectName) => orgs[name].projectId,
      scan: (name: ProjectName) => scans[name],
    };
    const ids = { ...idOf, finding: (name: ProjectName) => findings[name] }[access.project as 'project'];
    const isRead = method === 'GET';
    const body = path.endsWith('/scans/{id}/delete') ? { with_findings: false } : BODY;
    for (const as of waysOf(access.tokens)) {
      const call = (name: ProjectName) =>
        api.call(method, pathOf(path, [ids(name)]), { ...as, ...(!isRead && { body }) });
      expect(outcome(await call('hidden'))).toEqual(NOT_FOUND);
      const seen = await call('seen');
      if (access.role === 'viewer') expect(seen.status).not.toBe(403);
      else expect(outcome(seen)).toEqual(DENIED);
      const isById = !/\{\w+\}.*\{\w+\}/.test(path);
      if (isRead && isById) expect((await call('mine')).status).toBe(200);
    }
  });
});

describe('endpoints of the organization', () => {
  const refused = inOrganization.filter(({ access }) => access.project === 'none' && access.role !== 'owner');

  it.each(titled(refused))('%s is refused', async (_, { method, path, access }) => {
    for (const as of waysOf(access.tokens)) {
      const body = method === 'GET' ? {} : { body: '{' };
      expect(outcome(await api.call(method, pathOf(path, []), { ...as, ...body }))).toEqual(DENIED);
    }
  });
});
