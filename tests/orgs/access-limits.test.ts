import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints as table } from '../../handlers/index.ts';
import { allowAllNetworks } from '../../lib/admin/networks.ts';
import { mayWrite } from '../../lib/http/access.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import {
  type Answer,
  addMember,
  type CallOptions,
  createOrg,
  createScan,
  finding,
  must,
  PASSWORD,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Networks and sessions that an organization allows. */

let t: TestApp;

beforeAll(async () => {
  t = await startApp({ env: { SVC_TRUST_PROXY: 'on' } });
});

const endpoints: Endpoint[] = Object.values(table);
const fill = (path: string) => path.replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
/** Calls an endpoint with a body that none takes, so that a check that comes too late shows. */
const call = ({ method, path }: Endpoint, options: CallOptions): Promise<Answer> =>
  t.api.call(method, `/${fill(path)}`, { ...(method === 'GET' ? {} : { body: '{' }), ...options });
const set = (org: TestOrg, body: object, from = OFFICE) =>
  t.api.patch('/settings/security', { ...org.asOwner, ...from, body });

const client = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const OFFICE = client('203.0.113.9');
const HOME = client('198.51.100.7');
const NOT_ALLOWED = 'permission_error/address_not_allowed';
const STEP_UP = 'permission_error/step_up_required';

describe('allowed networks', () => {
  it('are all at first, and blocks that owners choose', async () => {
    const org = await createOrg(t.api);
    expect(must(await t.api.get('/settings/security', org.asOwner)).allowed_networks).toEqual([]);
    const given = ['203.0.113.9/24', '2001:db8::5', '203.0.113.0/24'];
    expect(must(await set(org, { allowed_networks: given })).allowed_networks).toEqual([
      '2001:db8::5/128',
      '203.0.113.0/24',
    ]);
    const read = (address: string) => t.api.get('/projects', { ...org.asOwner, ...client(address) });
    for (const address of ['203.0.113.255', '::ffff:203.0.113.1', '2001:db8::5'])
      expect([address, (await read(address)).status]).toEqual([address, 200]);
    for (const address of ['203.0.114.1', '2001:db8::6', '10.0.0.1'])
      expect([address, (await read(address)).error]).toEqual([address, NOT_ALLOWED]);
    // An address that is not known is in no network.
    expect((await t.api.get('/projects', org.asOwner)).error).toBe(NOT_ALLOWED);
    expect(must(await set(org, { allowed_networks: [] })).allowed_networks).toEqual([]);
    expect((await read('10.0.0.1')).status).toBe(200);
  });

  it('refuse every request to the organization from elsewhere, with each credential', async () => {
    const org = await createOrg(t.api);
    const scan = await createScan(t.api, org);
    const create = (path: string, body: object) =>
      t.api.post(path, { ...org.asOwner, body: { name: 'script', expires_in: 1, ...body } });
    const { token: reader } = must(await create(`/projects/${org.projectId}/tokens`, { scopes: ['read'] }));
    const { token: personal } = must(await create('/profile/tokens', { scopes: ['admin'] }));
    must(await set(org, { allowed_networks: ['203.0.113.0/24'] }));
    const allowed: string[] = [];
    const expectRefused = async (endpoint: Endpoint, options: CallOptions) => {
      const { error } = await call(endpoint, { org: org.slug, ...options, ...HOME });
      if (error !== NOT_ALLOWED) allowed.push(`${endpoint.method} ${endpoint.path} ${error}`);
    };
    for (const endpoint of endpoints) {
      const { access } = endpoint;
      if (access.kind === 'bearer') await expectRefused(endpoint, { token: org.token });
      if (access.kind !== 'cookieOrg') continue;
      await expectRefused(endpoint, org.asOwner);
      if (access.tokens !== 'none') await expectRefused(endpoint, { token: personal });
      if (access.tokens === 'any') await expectRefused(endpoint, { token: reader });
    }
    expect(allowed).toEqual([]);
    const rename = { ...org.asOwner, body: { name: 'Elsewhere' } };
    const remove = { ...org.asOwner, body: { confirm: org.slug } };
    const path = `/orgs/${org.slug}`;
    expect((await t.api.patch(path, { ...rename, ...HOME })).error).toBe(NOT_ALLOWED);
    expect((await t.api.delete(path, { ...remove, ...HOME })).error).toBe(NOT_ALLOWED);
    must(await t.api.delete(path, { ...remove, ...OFFICE }));
    expect((await t.api.post(`${path}/restore`, { ...org.asOwner, ...HOME })).error).toBe(NOT_ALLOWED);
    must(await t.api.post(`${path}/restore`, { ...org.asOwner, ...OFFICE }));
    const pushed = { ...org.asAgent, body: finding(org, scan) };
    expect((await t.api.post('/agent/findings', { ...pushed, ...HOME })).error).toBe(NOT_ALLOWED);
    must(await t.api.post('/agent/findings', { ...pushed, ...OFFICE }));
    must(await t.api.patch(path, { ...rename, ...OFFICE }));

    // Calls of accounts, and other organizations, are for everywhere.
    must(await t.api.get('/auth/me', { ...org.asOwner, ...HOME }));
    const other = await createOrg(t.api);
    must(await t.api.get('/projects', { ...other.asOwner, ...HOME }));
    const exported = async (from: object) =>
      must(await t.api.get('/auth/me/export', { ...org.asOwner, ...from })).organizations.find(
        ({ id }: { id: string }) => id === org.id,
      );
    expect((await exported(HOME)).left_out).toBe('address_not_allowed');
    expect((await exported(OFFICE)).left_out).toBe(undefined);
  });

  it('always have the own address, and are of owners', async () => {
    const org = await createOrg(t.api);
    const { as } = await addMember(t.api, org, 'admin');
    const body = { allowed_networks: ['203.0.113.0/24'] };
    expect((await t.api.patch('/settings/security', { ...as, ...OFFICE, body })).error).toBe(
      'permission_error/denied',
    );
    const out = await set(org, body, HOME);
    expect([out.refusal, out.text]).toEqual([
      '400 validation_error/field_invalid allowed_networks',
      expect.stringContaining('must contain your own address, 198.51.100.7'),
    ]);
    for (const bad of [
      ['here'],
      ['203.0.113.0/33'],
      ['10.0.0.0/8,'],
      [''],
      Array(51).fill('10.0.0.0/8'),
      null,
    ])
      expect([bad, (await set(org, { allowed_networks: bad })).status]).toEqual([bad, 400]);
    expect(must(await t.api.get('/settings/security', { ...as, ...HOME })).allowed_networks).toEqual([]);
  });

  it('are audited, and removed by an operator', async () => {
    const org = await createOrg(t.api);
    must(await set(org, { allowed_networks: ['203.0.113.9'] }));
    const { changes } = must(
      await t.api.get('/audit?action=settings.security_changed', { ...org.asOwner, ...OFFICE }),
    )[0];
    expect(changes).toEqual({ allowed_networks: { from: [], to: ['203.0.113.9/32'] } });
    const { database, orgMigrations: migrations } = t.services;
    const opened = () => allowAllNetworks({ database, migrations }, org.slug);
    expect(await opened()).toMatchObject({ networks: ['203.0.113.9/32'], changed: true });
    expect(await opened()).toMatchObject({ networks: [], changed: false });
    must(await t.api.get('/projects', { ...org.asOwner, ...HOME }));
  });
});

describe('the age of sessions', () => {
  const MINUTE = 60_000;

  /** An organization with these limits, and calls of its owner at a clock of its own. */
  async function limited(body: object) {
    const app = await startApp();
    const org = await createOrg(app.api);
    must(await app.api.patch('/settings/security', { ...org.asOwner, body }));
    return {
      app,
      org,
      read: async () => (await app.api.get('/projects', org.asOwner)).error,
      stepUp: async () =>
        must(await app.api.post('/auth/step-up', { ...org.asOwner, body: { password: PASSWORD } })),
    };
  }

  it('ends with a step-up when the organization has limited it', async () => {
    const { app, org, read, stepUp } = await limited({ session_max_hours: 2 });
    for (const minutes of [60, 59]) {
      app.advance(minutes * MINUTE);
      expect(await read()).toBe(undefined);
    }
    app.advance(2 * MINUTE);
    expect(await read()).toBe(STEP_UP);
    expect((await app.api.patch(`/orgs/${org.slug}`, { ...org.asOwner, body: { name: 'X' } })).error).toBe(
      STEP_UP,
    );
    must(await app.api.get('/auth/me', org.asOwner));
    await stepUp();
    expect(await read()).toBe(undefined);
  });

  it('does not survive a pause, whatever was called since', async () => {
    const { app, org, read, stepUp } = await limited({ session_idle_minutes: 10 });
    for (const minutes of [9, 9]) {
      app.advance(minutes * MINUTE);
      expect(await read()).toBe(undefined);
    }
    app.advance(11 * MINUTE);
    // Another page notes that the session is in use again.
    must(await app.api.get('/auth/session', org.asOwner));
    must(await app.api.get('/auth/me', org.asOwner));
    expect(await read()).toBe(STEP_UP);
    app.advance(2 * MINUTE);
    expect(await read()).toBe(STEP_UP);
    await stepUp();
    expect(await read()).toBe(undefined);
    app.advance(9 * MINUTE);
    expect(await read()).toBe(undefined);
  });

  it('refuses every request with a session, and none with a token', async () => {
    const { app, org } = await limited({ session_max_hours: 1 });
    app.advance(61 * MINUTE);
    const allowed: string[] = [];
    for (const { access, method, path } of endpoints) {
      if (access.kind !== 'cookieOrg') continue;
      const body = mayWrite(access, method) ? { body: '{' } : {};
      const { error } = await app.api.call(method, `/${fill(path)}`, { ...org.asOwner, ...body });
      if (error !== STEP_UP) allowed.push(`${method} ${path} ${error}`);
    }
    expect(allowed).toEqual([]);
    await createScan(app.api, org);
  });

  it('is limited by owners, between its bounds', async () => {
    const org = await createOrg(t.api);
    const limits = { session_idle_minutes: 15, session_max_hours: 8 };
    expect(must(await set(org, limits))).toMatchObject(limits);
    const { as } = await addMember(t.api, org, 'admin');
    for (const [name, value] of Object.entries(limits))
      expect((await t.api.patch('/settings/security', { ...as, body: { [name]: value } })).error).toBe(
        'permission_error/denied',
      );
    for (const bad of [4, 1_441, 7.5, '15'])
      expect((await set(org, { session_idle_minutes: bad })).status).toBe(400);
    for (const bad of [0, 25]) expect((await set(org, { session_max_hours: bad })).status).toBe(400);
    const off = { session_idle_minutes: null, session_max_hours: null };
    expect(must(await set(org, off))).toMatchObject(off);
  });
});
