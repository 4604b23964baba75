import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { purgeProjects } from '../../lib/projects/purge.ts';
import { transferProjects } from '../../lib/projects/transfer/run.ts';
import { admin as runCommand } from '../support/admin/command.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { expectKeptCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* `orgs rename`, `delete`, `restore` and `purge`, `projects` and `retention`. */

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

const admin = (...args: string[]) => runCommand(t.databaseUrl, args);

const sql = (text: string) => t.services.database.sql.unsafe(text);
const schema = () => `"org_${org.id.replaceAll('-', '')}"`;
const get = (path: string, as: object = org.asOwner) => t.api.get(path, as);
/** As if servers had had the time to forget the organization. */
const settle = () =>
  sql(
    `update shared.org_deletions set deleted_at = deleted_at - interval '1 hour' where org_id = '${org.id}'`,
  );
const mails = async () => {
  await t.services.mail.deliverDue();
  return t.mails.filter(({ recipient }) => recipient === org.owner.email).map(({ text }) => text);
};

describe('orgs', () => {
  it('delete and restore, with mails that name an operator', async () => {
    const deleted = await admin('orgs', 'delete', org.slug, '--confirm', org.slug);
    expect(deleted).toMatchObject({ code: 0, out: expect.stringContaining('is deleted') });
    expect(JSON.parse(deleted.err)).toMatchObject({ event: 'org_deleted', org: org.slug });
    expect((await get('/projects')).error).toBe('tenant_error/deleted');
    expect((await mails()).at(-1)).toContain('By: an operator of the service');
    const listed = await admin('orgs', 'list', '--deleted', '--json');
    expect(JSON.parse(listed.out)).toContainEqual(
      expect.objectContaining({ slug: org.slug, purge_at: expect.any(String) }),
    );
    expect((await admin('orgs', 'delete', org.slug, '--confirm', org.slug)).err).toContain('deleted already');
    expect((await admin('orgs', 'restore', org.id)).code).toBe(0);
    expect((await get('/projects')).status).toBe(200);
    expect((await mails()).at(-1)).toContain('was restored');
    expect((await admin('orgs', 'restore', org.slug)).code).toBe(1);
  });

  it.each([[[]], [['--confirm', 'other']], [['--confirm', '']]])(
    'need their slug to be deleted: %j',
    async (args) => {
      const refused = await admin('orgs', 'delete', org.slug, ...args);
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(`--confirm ${org.slug}`) });
      expect((await get('/projects')).status).toBe(200);
    },
  );

  it('are deleted once by two commands, and purged once', async () => {
    const codes = async (...args: string[]) => {
      const ended = await Promise.all([admin(...args), admin(...args)]);
      return ended.map(({ code }) => code).toSorted();
    };
    expect(await codes('orgs', 'delete', org.slug, '--confirm', org.slug)).toEqual([0, 1]);
    await settle();
    expect(await codes('orgs', 'purge', org.slug, '--confirm', org.slug)).toEqual([0, 1]);
    expect((await admin('orgs', 'show', org.id)).code).toBe(1);
  });

  it('are purged only if they are deleted, confirmed, and forgotten by servers', async () => {
    const purge = (...args: string[]) => admin('orgs', 'purge', org.slug, ...args);
    expect(await purge('--confirm', org.slug)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not deleted'),
    });
    await admin('orgs', 'delete', org.slug, '--confirm', org.slug);
    expect((await purge()).code).toBe(2);
    expect(await purge('--confirm', org.slug)).toMatchObject({
      code: 1,
      err: expect.stringContaining('try again in'),
    });
    await settle();
    const purged = await purge('--confirm', org.slug);
    expect(purged.code).toBe(0);
    expect(JSON.parse(purged.err)).toMatchObject({ event: 'org_purged', org_id: org.id });
    expect((await get(`/orgs/${org.slug}`)).status).toBe(404);
  });

  it('are purged by the next command if one was interrupted', async () => {
    await admin('orgs', 'delete', org.slug, '--confirm', org.slug);
    await settle();
    await sql(`update shared.org_deletions set purging = true where org_id = '${org.id}'`);
    expect((await admin('orgs', 'restore', org.slug)).code).toBe(1);
    expect((await admin('orgs', 'purge', org.slug, '--confirm', org.slug)).code).toBe(0);
  });

  it('are renamed', async () => {
    const slug = `${org.slug}-2`;
    const renamed = await admin('orgs', 'rename', org.slug, '--name', ' Acme ', '--slug', slug, '--json');
    expect(JSON.parse(renamed.out)).toMatchObject({ org: slug, name: 'Acme', changed: true });
    expect(must(await get(`/orgs/${org.slug}`)).slug).toBe(slug);
    const other = await createOrg(t.api);
    expect(await admin('orgs', 'rename', other.slug, '--slug', org.slug)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is taken'),
    });
    for (const args of [[], ['--slug', 'admin'], ['--slug', 'A'], ['--name', ' ']])
      expect((await admin('orgs', 'rename', other.slug, ...args)).code, args.join(' ')).toBe(2);
  });
});

describe('projects', () => {
  it('are listed, renamed and deleted', async () => {
    const scan = await createScan(t.api, org);
    await push(t.api, org, scan);
    const listed = await admin('projects', 'list', org.slug, '--json');
    expect(JSON.parse(listed.out)).toMatchObject([{ id: org.projectId, slug: 'web-shop', findings: 1 }]);
    expect((await admin('projects', 'rename', org.slug, 'web-shop', '--slug', 'shop')).code).toBe(0);
    expect(must(await get('/projects/web-shop')).slug).toBe('shop');
    expect((await admin('projects', 'rename', org.slug, 'shop')).code).toBe(2);

    const refused = await admin('projects', 'delete', org.slug, 'shop', '--confirm', 'web-shop');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--confirm shop') });
    const args = ['projects', 'delete', org.slug, org.projectId, '--confirm', 'shop'];
    const codes = (await Promise.all([admin(...args), admin(...args)])).map(({ code }) => code);
    expect(codes.toSorted()).toEqual([0, 1]);
    expect((await get('/projects/shop')).status).toBe(404);
    expect((await t.api.post('/agent/scans', { ...org.asAgent, body: {} })).error).toBe(
      'token_error/invalid',
    );
    await purgeProjects(t.services);
    expect(must(await get('/findings'))).toEqual([]);
    expect((await admin('projects', 'list', 'nobody')).code).toBe(1);
  });

  it('of other organizations are not found', async () => {
    const other = await createOrg(t.api);
    const refused = await admin('projects', 'delete', other.slug, org.projectId, '--confirm', 'web-shop');
    expect(refused.code).toBe(1);
    expect((await get('/projects/web-shop')).status).toBe(200);
  });
});

describe('projects transfer', () => {
  it('moves a project to another organization of any owner', async () => {
    const other = await createOrg(t.api);
    await push(t.api, org, await createScan(t.api, org));
    const args = ['projects', 'transfer', org.slug, 'web-shop', other.slug];
    const refused = await admin(...args);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--confirm web-shop') });
    expect((await admin(...args, '--confirm', 'web-shop')).err).toContain('give another one with --slug');
    expect((await admin(...args, '--confirm', 'web-shop', '--slug', 'A B')).code).toBe(2);
    const same = ['projects', 'transfer', org.slug, 'web-shop', org.id, '--confirm', 'web-shop'];
    expect((await admin(...same)).err).toContain(`the project is in ${org.slug} already`);

    const started = await admin(...args, '--confirm', 'web-shop', '--slug', 'shop');
    expect(started).toMatchObject({ code: 0, out: expect.stringContaining('findings: 1') });
    expect(JSON.parse(started.err)).toMatchObject({ event: 'project_transfer_started', to_org: other.id });
    expect((await admin(...args, '--confirm', 'web-shop', '--slug', 'shop-2')).err).toContain('already');
    expect((await admin('projects', 'rename', org.slug, 'web-shop', '--name', 'X')).err).toContain(
      'transferred',
    );
    expect((await admin('orgs', 'delete', org.slug, '--confirm', org.slug)).err).toContain(
      'projects transfers',
    );
    for (const scope of [[], [org.slug], [other.id]]) {
      const listed = await admin('projects', 'transfers', ...scope, '--json');
      expect(JSON.parse(listed.out)).toMatchObject([
        {
          projectId: org.projectId,
          source: org.slug,
          target: other.slug,
          slug: 'shop',
          findings: 1,
          attempts: 0,
        },
      ]);
    }
    expect((await admin('projects', 'transfers')).out).toContain('waiting');
    await transferProjects(t.services);
    expect(must(await get('/projects/shop', other.asOwner)).id).toBe(org.projectId);
    expect((await get('/projects/web-shop')).status).toBe(404);
    expect(JSON.parse((await admin('projects', 'transfers', '--json')).out)).toEqual([]);
  });

  it('is cancelled', async () => {
    const other = await createOrg(t.api);
    const start = ['projects', 'transfer', org.slug, 'web-shop', other.slug, '--slug', 'shop'];
    await admin(...start, '--confirm', 'web-shop');
    const cancel = ['projects', 'cancel-transfer', org.slug, 'web-shop'];
    expect((await admin(...cancel)).code).toBe(0);
    await transferProjects(t.services);
    expect((await admin(...cancel)).err).toContain('is not being transferred');
    must(await t.api.patch('/projects/web-shop', { ...org.asOwner, body: { name: 'Shop' } }));
  });
});

describe('retention run', () => {
  it('removes what has expired, and says how much', async () => {
    const scan = await createScan(t.api, org);
    for (let i = 0; i < 3; i++) {
      const { id } = await push(t.api, org, scan);
      if (i > 0) must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    }
    await sql(`update ${schema()}.findings set status_changed_at = now() - interval '9 days',
      last_seen_at = now() - interval '9 days'`);
    const run = async () => admin('retention', 'run', org.slug);
    expect((await run()).out).toContain('keeps everything');
    must(await t.api.put('/settings/retention', { ...org.asOwner, body: { resolved_findings: 7 } }));
    expect((await run()).out).toContain('2 findings and 0 scans removed');
    expect((await run()).out).toContain('0 findings and 0 scans removed');
    await expectKeptCounts(t.services.database, org);
  });

  it('leaves an organization alone that a server is working on', async () => {
    must(await t.api.put('/settings/retention', { ...org.asOwner, body: { resolved_findings: 7 } }));
    await sql(`update shared.retention set due_at = now() + interval '30 seconds'`);
    expect(await admin('retention', 'run', org.slug)).toMatchObject({ code: 1 });
  });
});
