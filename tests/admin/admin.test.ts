import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded/embedded.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import { recount } from '../../lib/admin/counts.ts';
import { clearDomain, normalizeDomain, setDomain } from '../../lib/admin/domains.ts';
import { oneLine } from '../../lib/admin/error.ts';
import { listFlags, setFlag } from '../../lib/admin/flags.ts';
import { listUnverifiedMembers, type UnverifiedMember } from '../../lib/admin/members.ts';
import { migrate, type Tracks } from '../../lib/admin/migrations.ts';
import { listOrgFlags, provisionOrgFlag } from '../../lib/admin/org-flags.ts';
import { findOrg, listOrgs, showOrg } from '../../lib/admin/orgs.ts';
import { getSetting, listSettings, setSetting, unsetSetting } from '../../lib/admin/settings.ts';
import { parseConfig } from '../../lib/config/parse.ts';
import { admin as runCommand, spawnAdmin } from '../support/admin/command.ts';
import { createOrg, createScan, createUser, must, PASSWORD, push, type TestOrg } from '../support/api/api.ts';
import { resetBy, verify } from '../support/api/mailed.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

const STORAGE = parseConfig({}).storage;

const tracks: Tracks = { shared: sharedMigrations, org: orgMigrations };

/** The command in this process. */
const admin = ({ DATABASE_URL = '', ...env }: Record<string, string>, args: string[], use = tracks) =>
  runCommand(DATABASE_URL, args, { env, tracks: use });

const schemaOf = ({ id }: { id: string }) => `"org_${id.replaceAll('-', '')}"`;

describe('on a database of its own', () => {
  let t: TestApp;
  let database: Database;
  let env: Record<string, string>;
  let acme: TestOrg;
  let beta: TestOrg;

  beforeAll(async () => {
    t = await startApp();
    database = t.services.database;
    env = { DATABASE_URL: t.databaseUrl };
    [acme, beta] = await Promise.all([createOrg(t.api, 'acme'), createOrg(t.api, 'beta')]);
  });

  describe('global feature flags', () => {
    it('are listed', async () => {
      const flags = await listFlags(database);
      expect(flags.map(({ name, enabled }) => [name, enabled])).toEqual([
        ['invite_only', false],
        ['public_api', false],
        ['scan_docker_mode', false],
        ['signup', true],
      ]);
    });

    it('signup closes and opens registration on a running server', async () => {
      expect(await setFlag(database, 'signup', false)).toMatchObject({ enabled: false, changed: true });
      const body = { email: 'late@example.com', password: PASSWORD, name: 'Late' };
      const refused = await t.api.post('/auth/register', { body });
      expect([refused.status, refused.error]).toEqual([403, 'permission_error/feature_disabled']);
      await setFlag(database, 'signup', true);
      expect((await t.api.post('/auth/register', { body })).status).toBe(201);
    });
  });

  describe('settings', () => {
    it('are set, shown, changed and unset', async () => {
      expect(await setSetting(database, 'motd', 'Hello')).toEqual({
        key: 'motd',
        value: 'Hello',
        changed: true,
      });
      expect((await setSetting(database, 'motd', 'Hello')).changed).toBe(false);
      expect((await setSetting(database, 'motd', "it's\n😀")).changed).toBe(true);
      await setSetting(database, 'a.key', '');
      expect(await getSetting(database, 'motd')).toEqual({ key: 'motd', value: "it's\n😀" });
      expect(await listSettings(database)).toEqual([
        { key: 'a.key', value: '' },
        { key: 'motd', value: "it's\n😀" },
      ]);
      await unsetSetting(database, 'a.key');
      await unsetSetting(database, 'motd');
      await expect(unsetSetting(database, 'motd')).rejects.toThrow('setting "motd" does not exist');
      await expect(getSetting(database, 'motd')).rejects.toThrow('setting "motd" does not exist');
    });

    it.each(['', 'two words', 'x'.repeat(201)])('cannot have the key %j', async (key) => {
      await expect(setSetting(database, key, 'v')).rejects.toMatchObject({ exitCode: 2 });
    });
  });

  describe('organizations', () => {
    it('are named by slug or id', async () => {
      for (const name of ['acme', acme.id, acme.id.toUpperCase()]) {
        expect((await findOrg(database.db, name)).id).toBe(acme.id);
      }
      await expect(findOrg(database.db, crypto.randomUUID())).rejects.toThrow(
        /^organization ".*" does not exist$/,
      );
      await expect(findOrg(database.db, 'Acme\n')).rejects.toThrow(
        'organization "Acme\\u{a}" does not exist',
      );
    });

    it('are not passed off as another by a slug like its id', async () => {
      const imposter = await createOrg(t.api, beta.id);
      expect((await findOrg(database.db, beta.id)).slug).toBe('beta');
      expect((await findOrg(database.db, imposter.id)).slug).toBe(beta.id);
    });

    it('are shown with their schema version', async () => {
      const more = [...orgMigrations, { name: '9000_more', hash: 'x', statements: [] }];
      const stateOf = async (steps: readonly Migration[]) => {
        const all = await listOrgs(database, steps);
        return all.find(({ slug }) => slug === 'acme')?.schema_state;
      };
      expect(await stateOf(orgMigrations)).toBe('current');
      expect(await stateOf(more)).toBe('behind');
      expect(await stateOf(orgMigrations.slice(1))).toBe('newer');
      expect(await listOrgs(database, orgMigrations, { behind: true })).toEqual([]);
      expect(await showOrg(database, 'acme', more, STORAGE)).toMatchObject({
        id: acme.id,
        slug: 'acme',
        plan: 'free',
        custom_domain: null,
        deleted_at: null,
        purge_at: null,
        schema_version: orgMigrations.length,
        schema_state: 'behind',
        pending: ['9000_more'],
      });
    });
  });

  describe('members without a verified address', () => {
    const invite = async (email: string, role = 'member') =>
      must(await t.api.post('/members/invite', { ...beta.asOwner, body: { email, role } })).user_id;
    const summary = (rows: UnverifiedMember[]) =>
      rows.map(({ org, role, email, reason }) => [org, role, email, reason]);

    it('are listed, with the address that is to be verified', async () => {
      const second = await createUser(t.api);
      const invited = await createUser(t.api);
      for (const { email } of [invited, second]) await verify(t, email);
      const alias = `alias-${second.email}`;
      must(await t.api.post('/profile/emails', { cookie: second.cookie, body: { email: alias } }));
      await verify(t, alias);
      const unverified = await createUser(t.api);
      await invite(invited.email);
      await invite(alias);
      await invite(unverified.email, 'admin');
      const placeholder = `placeholder-${second.email}`;
      await invite(placeholder, 'viewer');
      const expected = [
        ['beta', 'owner', beta.owner.email, 'not verified'],
        ['beta', 'admin', unverified.email, 'not verified'],
        ['beta', 'viewer', placeholder, 'no password'],
      ];
      expect(summary(await listUnverifiedMembers(database, 'beta'))).toEqual(expected);
      expect(summary(await listUnverifiedMembers(database, beta.id))).toEqual(expected);
      const all = summary(await listUnverifiedMembers(database));
      expect(all).toContainEqual(['acme', 'owner', acme.owner.email, 'not verified']);
      expect(all.map(([slug]) => slug)).toEqual(all.map(([slug]) => slug).sort());

      // The account has another verified address now, and is pending all the same.
      await t.services.database.sql.unsafe(
        'update shared.memberships set confirmed_at = null where invited_email = $1',
        [alias],
      );
      expect(summary(await listUnverifiedMembers(database, 'beta'))).toContainEqual([
        'beta',
        'member',
        alias,
        'not verified',
      ]);
      await resetBy(t, unverified.email);
      expect(summary(await listUnverifiedMembers(database, 'beta'))).not.toContainEqual(expected[1]);
    });

    it('are shown by the command, as a table or as JSON', async () => {
      const { code, out } = await admin(env, ['members', 'unverified', 'acme']);
      expect(code).toBe(0);
      expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
        ['ORG', 'ROLE', 'ADDRESS', 'REASON'],
        ['acme', 'owner', acme.owner.email, 'not verified'],
        [''],
      ]);
      const json = JSON.parse((await admin(env, ['members', 'unverified', 'acme', '--json'])).out);
      expect(json).toEqual([
        {
          org_id: acme.id,
          org: 'acme',
          user_id: acme.owner.id,
          name: 'Ada Lovelace',
          role: 'owner',
          email: acme.owner.email,
          reason: 'not verified',
        },
      ]);
      await verify(t, acme.owner.email);
      expect((await admin(env, ['members', 'unverified', 'acme'])).out).toBe(
        'all members have verified their addresses\n',
      );
      expect(await admin(env, ['members', 'unverified', 'nobody'])).toMatchObject({
        code: 1,
        err: expect.stringContaining('organization "nobody" does not exist'),
      });
    });
  });

  describe("organizations' counts", () => {
    const right = { status: 'right', wrong: [], error: null };

    it('are checked and put right, with what was wrong', async () => {
      const scanId = await createScan(t.api, acme);
      for (const severity of ['high', 'high', 'low']) await push(t.api, acme, scanId, { severity });
      const check = (org?: string) => recount(database, { migrations: orgMigrations, org });
      const whose = { org_id: acme.id, org: 'acme' };
      expect(await check('acme')).toEqual({ orgs: [{ ...whose, ...right }], corrected: 0, failed: 0 });

      await database.sql.unsafe(`
        update ${schemaOf(acme)}.finding_counts set count = 7 where severity = 'high';
        insert into ${schemaOf(acme)}.finding_counts values ('${acme.projectId}', 'info', 'fixed', -1);
        delete from ${schemaOf(acme)}.scan_counts`);
      const all = await check();
      const project_id = acme.projectId;
      const wrong = [
        { of: 'findings', project_id, severity: 'high', status: 'open', kept: 7, counted: 2 },
        { of: 'findings', project_id, severity: 'info', status: 'fixed', kept: -1, counted: 0 },
        { of: 'scans', project_id, severity: null, status: 'running', kept: 0, counted: 1 },
      ];
      expect(all).toMatchObject({ corrected: 1, failed: 0 });
      expect(
        all.orgs
          .map(({ status }) => status)
          .sort()
          .at(-1),
      ).toBe('right');
      expect(all.orgs.find(({ org }) => org === 'acme')).toEqual({
        ...whose,
        status: 'corrected',
        wrong,
        error: null,
      });
      expect((await check()).corrected).toBe(0);
      await expectRightCounts(database, t.api, acme);
    });

    it('are said to be wrong by the command, line by line', async () => {
      await database.sql.unsafe(
        `update ${schemaOf(acme)}.finding_counts set count = 0 where severity = 'low'`,
      );
      expect((await admin(env, ['orgs', 'recount', 'acme'])).out).toBe(
        `acme: corrected\n  findings of project ${acme.projectId}, low, open: 0 instead of 1\n` +
          'organizations: 0 right, 1 corrected, 0 failed\n',
      );
    });

    it('are not there before the migration, which the others do not mind', async () => {
      const more = [...orgMigrations, { name: '9000_more', hash: 'x', statements: [] }];
      const ended = await admin(env, ['orgs', 'recount', 'beta'], { ...tracks, org: more });
      expect([ended.code, ended.out]).toEqual([
        1,
        'beta: FAILED: its schema is behind: run "migrate" first\norganizations: 0 right, 0 corrected, 1 failed\n',
      ]);
    });
  });

  describe("organizations' feature flags", () => {
    const call = () => ({ database, log: silentLog, migrations: orgMigrations });

    it('are provisioned and withdrawn for one organization only', async () => {
      const flag = async (org: string) =>
        (await listOrgFlags(call(), org)).find(({ name }) => name === 'require_mfa');
      const required = { ...acme.asOwner, body: { enabled: true } };
      must(await t.api.patch('/org-features/require_mfa', required));
      expect((await t.api.get('/projects', acme.asOwner)).error).toBe('permission_error/mfa_required_by_org');

      expect(await provisionOrgFlag(call(), 'acme', 'require_mfa', false)).toMatchObject({
        org: 'acme',
        org_id: acme.id,
        name: 'require_mfa',
        provisioned: false,
        enabled: true,
        active: false,
        changed: true,
      });
      expect((await t.api.get('/projects', acme.asOwner)).status).toBe(200);
      expect(await flag('beta')).toMatchObject({ provisioned: true });
      expect((await provisionOrgFlag(call(), 'acme', 'require_mfa', false)).changed).toBe(false);

      expect(await provisionOrgFlag(call(), acme.id, 'require_mfa', true)).toMatchObject({ active: true });
      expect((await t.api.get('/projects', acme.asOwner)).status).toBe(403);
      await database.sql.unsafe(`update ${schemaOf(acme)}.feature_flags set enabled = false`);
      expect(await flag('acme')).toMatchObject({ provisioned: true, enabled: false, active: false });
    });
  });

  describe('custom domains', () => {
    const BASE = 'svc.example.net';

    afterEach(async () => {
      vi.useRealTimers();
      await clearDomain(database, 'acme');
      await clearDomain(database, 'beta');
    });

    it.each([
      ['Findings.ACME.com', 'findings.acme.com'],
      ['acme.com.', 'acme.com'],
      ['Bücher.example', 'xn--bcher-kva.example'],
      ['1.2.acme.com', '1.2.acme.com'],
    ])('%s is %s', (text, domain) => {
      expect(normalizeDomain(text)).toBe(domain);
    });

    it.each([
      '',
      'localhost',
      '127.0.0.1',
      '0x7f.1',
      '[::1]',
      'acme.com:8080',
      'https://acme.com',
      'acme.com/x',
      '*.acme.com',
      'a_b.com',
      '-a.com',
      'acme..com',
      'acme.com..',
      'a b.com',
      `${'a'.repeat(64)}.com`,
      `${'a.'.repeat(126)}com`,
    ])('%j is none', (text) => {
      expect(() => normalizeDomain(text)).toThrow(/is not a domain/);
    });

    it.each([BASE, `acme.${BASE}`, `a.b.${BASE.toUpperCase()}`])(
      'cannot be %s, which is the base domain or below it',
      async (domain) => {
        await expect(setDomain(database, 'acme', domain, BASE)).rejects.toThrow(/base domain/);
        expect((await findOrg(database.db, 'acme')).custom_domain).toBeNull();
      },
    );

    it('may be above or beside the base domain', async () => {
      expect((await setDomain(database, 'acme', 'example.net', BASE)).changed).toBe(true);
      expect((await setDomain(database, 'acme', `my${BASE}`, BASE)).previous).toBe('example.net');
    });

    it('lead to their organization and to no other, move and go', async () => {
      const { api } = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_BASE_DOMAIN: BASE } });
      /** The organization that an owner and an agent reach at `host`. */
      const whoseIs = async (org: TestOrg, host: string) => {
        const asUser = await api.get('/projects', { cookie: org.owner.cookie, host });
        const asAgent = await api.get(`/agent/findings?project_id=${org.projectId}`, {
          token: org.token,
          host,
        });
        return [asUser.error ?? asUser.result[0].id, asAgent.error ?? asAgent.status];
      };
      const NOWHERE = ['tenant_error/not_found', 'tenant_error/not_found'];
      const FOREIGN = ['tenant_error/not_member', 'token_error/invalid'];
      const host = 'findings.acme.com';

      expect(await whoseIs(acme, host)).toEqual(NOWHERE);
      expect(await setDomain(database, 'acme', 'Findings.Acme.com.', BASE)).toEqual({
        org_id: acme.id,
        org: 'acme',
        custom_domain: host,
        previous: null,
        changed: true,
      });
      expect((await setDomain(database, 'acme', host, BASE)).changed).toBe(false);
      // The server remembers for a while that it does not know it.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
      expect(await whoseIs(acme, `${host.toUpperCase()}:443`)).toEqual([acme.projectId, 200]);
      expect(await whoseIs(beta, host)).toEqual(FOREIGN);
      expect(await whoseIs(acme, `sub.${host}`)).toEqual(NOWHERE);

      await expect(setDomain(database, 'beta', host, BASE)).rejects.toThrow(
        'findings.acme.com belongs to acme: clear it there first',
      );
      expect(await whoseIs(acme, host)).toEqual([acme.projectId, 200]);

      expect(await clearDomain(database, 'acme')).toMatchObject({ previous: host, changed: true });
      await setDomain(database, 'beta', host, BASE);
      expect(await whoseIs(acme, host)).toEqual(FOREIGN);
      expect(await whoseIs(beta, host)).toEqual([beta.projectId, 200]);

      await clearDomain(database, 'beta');
      expect(await whoseIs(beta, host)).toEqual(NOWHERE);
      expect((await clearDomain(database, 'beta')).changed).toBe(false);
      expect(await whoseIs(beta, `beta.${BASE}`)).toEqual([beta.projectId, 200]);
    });

    it('go to one of two organizations that want the same at once', async () => {
      const both = await Promise.allSettled(
        ['acme', 'beta'].map((org) => setDomain(database, org, 'both.example.com', undefined)),
      );
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });
  });

  describe('the command line', () => {
    it.each([
      [['flags', 'list'], 'FLAG              STATE  DESCRIPTION\ninvite_only       off '],
      [['flags', 'set', 'public_api', 'on'], 'public_api is now on\n'],
      [['flags', 'set', 'public_api', 'on'], 'public_api is on already: nothing changed\n'],
      [['settings', 'set', '--', 'k', '--json'], 'k is now set to that value\n'],
      [['settings', 'set', 'n', '-5'], 'n is now set to that value\n'],
      [['settings', 'get', 'k'], '--json\n'],
      [['settings', 'unset', 'k'], 'k is no longer set\n'],
      [['org-flags', 'list', 'beta'], 'FLAG             PROVISIONED  ENABLED  ACTIVE'],
      [
        ['org-flags', 'withdraw', 'beta', 'require_mfa'],
        'require_mfa of beta is now withdrawn, the owner has it off\n',
      ],
      [['domains', 'set', 'beta', 'b.example.com'], 'the custom domain of beta is now b.example.com\n'],
      [
        ['domains', 'set', 'beta', 'c.example.com'],
        'the custom domain of beta is now c.example.com (before: b.example.com)\n',
      ],
      [['domains', 'clear', 'beta'], 'beta has no custom domain any more (before: c.example.com)\n'],
      [['domains', 'clear', 'beta'], 'beta has no custom domain already: nothing changed\n'],
      [['orgs', 'show', 'beta'], 'slug           beta\n'],
      [['orgs', 'list', '--behind'], 'SLUG  ID  PLAN'],
      [['orgs', 'recount', 'beta'], 'beta: right\norganizations: 1 right, 0 corrected, 0 failed\n'],
      [['migrate'], 'shared: nothing to do\norganizations: 0 migrated, 0 failed\n'],
      [['migrate', 'acme'], 'shared: nothing to do\nacme: nothing to do\norganizations: 0 migrated'],
      [['--help'], 'Usage: admin'],
      [['domains', 'set', '--help'], 'Usage: admin domains set [options] <org> <domain>\n'],
    ])('%j', async (args, out) => {
      const ended = await admin(env, args);
      expect([ended.code, ended.err]).toEqual([0, '']);
      expect(ended.out.slice(0, out.length)).toBe(out);
    });

    const change = { changed: expect.any(Boolean) };
    const whose = { org: 'acme', org_id: expect.any(String) };
    const flag = { name: expect.any(String), enabled: expect.any(Boolean), description: expect.any(String) };
    const orgFlag = { ...flag, provisioned: expect.any(Boolean), active: expect.any(Boolean) };
    const org = {
      id: expect.any(String),
      name: expect.any(String),
      slug: expect.any(String),
      plan: 'free',
      custom_domain: null,
      deleted_at: null,
      purge_at: null,
      schema_version: orgMigrations.length,
      schema_state: 'current',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    const storage = {
      ...{
        bytes: expect.any(Number),
        max_bytes: 20 * 2 ** 30,
        rows: expect.any(Number),
        max_rows: 10_000_000,
      },
    };
    const domain = { ...whose, previous: null, ...change };
    const schema = { status: 'current', applied: [], failed_step: null, error: null };
    it.each([
      [
        ['flags', 'list'],
        [flag, flag, flag, flag],
      ],
      [['flags', 'set', 'signup', 'on'], { ...flag, ...change }],
      [['settings', 'set', 'j', 'v'], { key: 'j', value: 'v', changed: true }],
      [['settings', 'list'], expect.arrayContaining([{ key: 'j', value: 'v' }])],
      [['settings', 'get', 'j'], { key: 'j', value: 'v' }],
      [['settings', 'unset', 'j'], { key: 'j', changed: true }],
      [
        ['org-flags', 'list', 'acme'],
        [orgFlag, orgFlag],
      ],
      [['org-flags', 'provision', 'acme', 'require_mfa'], { ...whose, ...orgFlag, ...change }],
      [['domains', 'set', 'acme', 'j.example.com'], { ...domain, custom_domain: 'j.example.com' }],
      [['domains', 'clear', 'acme'], { ...domain, custom_domain: null, previous: 'j.example.com' }],
      [['orgs', 'list'], expect.arrayContaining([org])],
      [['orgs', 'list', '--behind'], []],
      [['orgs', 'show', 'acme'], { ...org, pending: [], storage }],
      [
        ['orgs', 'recount', 'beta'],
        {
          orgs: [{ org_id: expect.any(String), org: 'beta', status: 'right', wrong: [], error: null }],
          corrected: 0,
          failed: 0,
        },
      ],
      [['migrate', 'acme'], { shared: schema, orgs: [{ ...whose, ...schema }], failed: 0 }],
    ])('%j --json', async (args, json) => {
      const { code, out, err } = await admin(env, [...args, '--json']);
      expect([code, err]).toEqual([0, '']);
      expect(JSON.parse(out)).toEqual(json);
    });

    it.each([
      [['flags', 'set', 'nope', 'on'], 1, /^feature flag "nope" does not exist \(.*\)\n$/],
      [
        ['org-flags', 'provision', 'acme', 'nope'],
        1,
        /^organization feature flag "nope" does not exist \(.*\)\n$/,
      ],
      [['org-flags', 'list', 'nope'], 1, /^organization "nope" does not exist\n$/],
      [['settings', 'get', 'nope'], 1, /^setting "nope" does not exist\n$/],
      [['migrate', 'nope', '--json'], 1, /^organization "nope" does not exist\n$/],
      [['domains', 'set', 'acme', 'localhost'], 2, /^"localhost" is not a domain: .*\n$/],
      [['flags', 'set', 'signup', 'maybe'], 2, /^error: .*Allowed choices are on, off\.\n$/],
      [['flags', 'set', 'signup'], 2, /^error: missing required argument 'state'\n$/],
      [['flags', 'list', 'more'], 2, /^error: too many arguments/],
      [['flags', 'list', '--nope'], 2, /^error: unknown option '--nope'/],
      [['flgs'], 2, /^error: unknown command 'flgs'\n\(Did you mean flags\?\)\n$/],
      [[], 2, /^Usage: admin/],
    ])('%j ends with %i', async (args, code, err) => {
      const ended = await admin(env, args);
      expect([ended.code, ended.out]).toEqual([code, '']);
      expect(ended.err).toMatch(err);
    });

    it('takes the base domain from the configuration', async () => {
      const ended = await admin({ ...env, SVC_BASE_DOMAIN: 'svc.example.net' }, [
        'domains',
        'set',
        'acme',
        'x.svc.example.net',
      ]);
      expect([ended.code, ended.err]).toEqual([
        1,
        'x.svc.example.net is below the base domain svc.example.net: a custom domain must be another one\n',
      ]);
    });

    it('shows a name on one line, whatever is in it', () => {
      expect(oneLine('a\n\u001b[2Jb\u202ec\u2028é😀')).toBe('a\\u{a}\\u{1b}[2Jb\\u{202e}c\\u{2028}é😀');
    });

    it('is a process with the same exit codes', async () => {
      const [good, bad, wrong] = await Promise.all(
        [['flags', 'list', '--json'], ['flags', 'set', 'nope', 'on'], ['nope']].map(
          (args) => spawnAdmin(t.databaseUrl, args).ended,
        ),
      );
      expect([good?.code, good?.err, JSON.parse(good?.out ?? '').length]).toEqual([0, '', 4]);
      expect([bad?.code, bad?.out]).toEqual([1, '']);
      expect(bad?.err).toMatch(/^feature flag "nope" does not exist.*\n$/);
      expect([wrong?.code, wrong?.out]).toEqual([2, '']);
    });

    it('ends when a signal says so, without having done anything', async () => {
      const ended = await database.sql.begin(async (tx) => {
        await tx.unsafe("select 1 from shared.orgs where slug = 'acme' for update");
        const waiting = spawnAdmin(t.databaseUrl, ['domains', 'set', 'acme', 'late.example.com']);
        const waits =
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'svc-findings-admin' and datname = current_database()";
        // Not in this transaction, which would see the same sessions all the time.
        while ((await database.sql.unsafe(waits)).length === 0);
        waiting.child.kill('SIGTERM');
        return waiting.ended;
      });
      expect(ended).toEqual({ code: 143, out: '', err: 'ended by SIGTERM\n' });
      expect((await findOrg(database.db, 'acme')).custom_domain).toBeNull();
    });
  });
});

describe('migrations', () => {
  const step = (name: string, ...statements: string[]): Migration => ({
    name,
    hash: `hash of ${name}`,
    statements,
  });
  const notes = step('8000_notes', 'create table "org_template"."notes" (id int primary key)');
  const extra = step('8001_extra', 'create table "org_template"."extra" (id int primary key)');
  const newer: Tracks = { shared: sharedMigrations, org: [...orgMigrations, notes, extra] };
  const CURRENT = { status: 'current', applied: [], failed_step: null, error: null };

  let empty: TestDatabase;
  let t: TestApp;
  let orgs: TestOrg[];
  let database: Database;

  beforeAll(async () => {
    empty = await createDatabase('empty');
    t = await startApp();
    database = t.services.database;
    orgs = await Promise.all(['one', 'two', 'six'].map((slug) => createOrg(t.api, slug)));
  });
  afterAll(() => empty.drop());

  it('make an empty database usable, which says so before', async () => {
    const env = { DATABASE_URL: empty.url };
    const before = await admin(env, ['flags', 'list']);
    expect([before.code, before.out]).toEqual([1, '']);
    expect(before.err).toMatch(/^the database is not up to date \(relation .*\): run "migrate" first\n$/);
    const names = sharedMigrations.map(({ name }) => name).join(', ');
    expect((await admin(env, ['migrate'])).out).toBe(
      `shared: applied ${names}\norganizations: 0 migrated, 0 failed\n`,
    );
    expect((await admin(env, ['flags', 'list'])).code).toBe(0);
  });

  it('show who failed, where and why; the others go on; run again it goes on from there', async () => {
    const [one] = orgs as [TestOrg];
    const env = { DATABASE_URL: t.databaseUrl };
    await database.sql.unsafe(`create view ${schemaOf(one)}.extra as select 1 as one`);
    const ended = await admin(env, ['migrate'], newer);
    const lines = ended.out.trimEnd().split('\n');
    expect([ended.code, ended.err]).toEqual([1, '']);
    expect(lines[0]).toBe('shared: nothing to do');
    expect(lines.slice(1, -1).sort()).toEqual(
      expect.arrayContaining([
        'one: applied 8000_notes; FAILED at 8001_extra: relation "extra" already exists',
        'six: applied 8000_notes, 8001_extra',
        'two: applied 8000_notes, 8001_extra',
      ]),
    );
    expect(lines.at(-1)).toMatch(/^organizations: \d+ migrated, 1 failed$/);
    expect((await listOrgs(database, newer.org, { behind: true })).map(({ slug }) => slug)).toEqual(['one']);

    const again = await admin(env, ['migrate', '--json'], newer);
    expect(again.code).toBe(1);
    const failure = { org_id: one.id, org: 'one', status: 'failed', applied: [] };
    expect(JSON.parse(again.out)).toEqual({
      shared: CURRENT,
      orgs: [{ ...failure, failed_step: '8001_extra', error: 'relation "extra" already exists' }],
      failed: 1,
    });
    expect(await showOrg(database, 'one', newer.org, STORAGE)).toMatchObject({ pending: ['8001_extra'] });

    await database.sql.unsafe(`drop view ${schemaOf(one)}.extra`);
    const mended = await admin(env, ['migrate', one.id], newer);
    expect([mended.code, mended.out]).toEqual([
      0,
      'shared: nothing to do\none: applied 8001_extra\norganizations: 1 migrated, 0 failed\n',
    ]);
    expect(await listOrgs(database, newer.org, { behind: true })).toEqual([]);
  });

  it('touch the organization that was asked for, and no other', async () => {
    const more = { ...newer, org: [...newer.org, step('8002_more', 'select 1')] };
    const { orgs: results } = await migrate(database, { tracks: more, org: 'two' });
    expect(results.map(({ org, applied }) => [org, applied])).toEqual([['two', ['8002_more']]]);
    const behind = await listOrgs(database, more.org, { behind: true });
    expect(behind.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['one', 'six']));
    expect(behind.map(({ slug }) => slug)).not.toContain('two');
  });

  it('name a step that was changed after it was applied', async () => {
    const changed = newer.org.map((s) => (s === notes ? { ...s, hash: 'other' } : s));
    const { orgs: results, failed } = await migrate(database, {
      tracks: { ...newer, org: changed },
      org: 'six',
    });
    expect([failed, results[0]?.failed_step, results[0]?.error]).toEqual([
      1,
      '8000_notes',
      'migration 8000_notes was changed after it was applied',
    ]);
  });

  it('do not go on to the organizations when the shared schema fails', async () => {
    const bad = step('8000_bad', 'select 1 / 0');
    const shared = [...sharedMigrations, bad];
    const env = { DATABASE_URL: t.databaseUrl };
    const ended = await admin(env, ['migrate'], { ...newer, shared });
    expect(ended).toEqual({
      code: 1,
      out: 'shared: FAILED at 8000_bad: division by zero\norganizations were not tried\n',
      err: '',
    });
  });

  it('may run twice at once, beside a server', async () => {
    const last = [...newer.org, step('8002_more', 'select 1'), step('8003_last', 'select 1')];
    const server = await startApp({ databaseUrl: t.databaseUrl, orgMigrations: last });
    const use = { ...newer, org: last };
    const [a, b] = await Promise.all([
      migrate(database, { tracks: use }),
      migrate(database, { tracks: use }),
      server.services.orgs.migrateAll(),
    ]);
    expect([a.failed, b.failed]).toEqual([0, 0]);
    expect(await listOrgs(database, last, { behind: true })).toEqual([]);
    must(await server.api.get('/projects', (orgs[0] as TestOrg).asOwner));
  });
});

describe.concurrent('the database of the configuration', () => {
  it('is one line when it refuses', async () => {
    const ended = await admin({ DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/x' }, ['flags', 'list']);
    expect(ended).toEqual({
      code: 1,
      out: '',
      err: 'the database cannot be used: connect ECONNREFUSED 127.0.0.1:1\n',
    });
  });

  it('is one line, soon, when it is silent', async () => {
    const silent = net.createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as net.AddressInfo;
    const start = Date.now();
    const ended = await admin({ DATABASE_URL: `postgres://u:hush@127.0.0.1:${port}/x` }, ['flags', 'list']);
    expect(ended).toEqual({ code: 1, out: '', err: 'the database cannot be used: no answer\n' });
    expect(Date.now() - start).toBeLessThan(limit(6_000));
    silent.close();
  });

  it('is one line when it is none', async () => {
    const { code, err } = await admin({ DATABASE_URL: 'nonsense' }, ['flags', 'list']);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^DATABASE_URL: the value given is not allowed.*\n$/),
    ]);
  });

  it('is the embedded one: started and stopped for the command, or shared with the server that it runs for', async ({
    onTestFinished,
  }) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-admin-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const dataDir = join(dir, 'data');
    const env = { SVC_DATA_DIR: dataDir };
    const nothing = await admin(env, ['flags', 'list']);
    expect([nothing.code, nothing.err]).toEqual([1, expect.stringMatching(/^.* has no database: .*\n$/)]);
    expect(await readdir(dir)).toEqual([]);

    expect((await admin(env, ['migrate'])).code).toBe(0);
    const isRunning = async () => (await readdir(join(dataDir, 'postgres/18'))).includes('postmaster.pid');
    expect(await isRunning()).toBe(false);
    expect((await admin(env, ['flags', 'set', 'signup', 'off'])).code).toBe(0);
    expect(await isRunning()).toBe(false);

    // A process of its own, with the configuration of the directory it is started in.
    await writeFile(join(dir, '.env'), 'SVC_DATA_DIR=data\n');
    const alone = await spawnAdmin('', ['flags', 'list'], {}, dir).ended;
    expect([alone.code, alone.err]).toEqual([0, '']);
    expect(alone.out).toMatch(/^signup +off /m);
    expect(await isRunning()).toBe(false);

    const server = await startEmbedded({ dataDir, log: silentLog });
    const app = await startApp({ databaseUrl: server.url });
    try {
      const body = { email: 'a@example.com', password: PASSWORD, name: 'A' };
      expect((await app.api.post('/auth/register', { body })).status).toBe(403);
      const beside = await spawnAdmin('', ['flags', 'set', 'signup', 'on', '--json'], {}, dir).ended;
      expect([beside.code, JSON.parse(beside.out).changed]).toEqual([0, true]);
      await createUser(app.api);
      expect(await isRunning()).toBe(true);
    } finally {
      await app.services.database.close();
      await server.stop();
    }
    expect(await isRunning()).toBe(false);
  });
});
