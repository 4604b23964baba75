import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sql } from '../../db/pool/query.ts';
import { removeMarks } from '../../db/projects/transfer/marks.ts';
import { moveProject } from '../../db/projects/transfer/move.ts';
import {
  LEASE_MS,
  releaseTransfer,
  TransferOver,
  takeTransfer,
} from '../../db/projects/transfer/transfers.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import { transferProjects } from '../../lib/projects/transfer/run.ts';
import { startTransfer } from '../../lib/projects/transfer/start.ts';
import { addProject, createOrg, createScan, finding, must, push, type TestOrg } from '../support/api/api.ts';
import { expectKeptCounts, expectNothingLeft } from '../support/database/counts.ts';
import { createTables } from '../support/database/own-tables.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Transfers that a request does not complete: processes that die, what is refused meanwhile, and the ends of transfers. */

let t: TestApp;
let org: TestOrg;
/** Another organization of the owner. */
let labs: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  const slug = `${org.slug}-labs`;
  const cookie = org.owner.cookie;
  const { id } = must(await t.api.post('/orgs', { cookie, body: { name: 'Labs', slug } }));
  await createTables(t, slug);
  labs = { ...org, id, slug, asOwner: { cookie, org: slug } };
});

const tablesOf = ({ id }: TestOrg) => defineOrgTables(orgSchemaName(id));
const sql = (text: string, of: TestOrg = org) =>
  t.services.database.sql.unsafe(text.replaceAll('@', `"${orgSchemaName(of.id)}"`));
const get = (path: string, of: TestOrg = org) => t.api.get(path, of.asOwner);

/** Starts the transfer without moving anything, as a request for a large project does. */
async function start(): Promise<void> {
  const wish = {
    source: { id: org.id, slug: org.slug, tables: tablesOf(org) },
    target: { id: labs.id, slug: labs.slug, tables: tablesOf(labs) },
    ...{
      project: { id: org.projectId, slug: 'web-shop' },
      slug: 'web-shop',
      actor: { now: new Date(), async writeMail() {} },
    },
  };
  expect(await startTransfer(t.services.database.db, wish)).toBeTypeOf('number');
}

/** One attempt to move it, with a client of its own. */
const move = (client: Sql = t.services.database.sql, onCopied: () => Promise<void> = async () => {}) =>
  moveProject(
    client,
    { projectId: org.projectId, sourceId: org.id, targetId: labs.id },
    { source: tablesOf(org), target: tablesOf(labs) },
    { now: new Date(), strangersAmong: async () => [], onCopied },
  );

/** A client whose transactions fail before their statement number `n`, as if the process had died there. */
function diesBefore(n: number): { client: Sql; died: () => boolean } {
  let died = false;
  const { sql: client } = t.services.database;
  const begin = (work: (tx: Sql) => unknown) =>
    client.begin((tx) => {
      let statements = 0;
      const unsafe = (...call: Parameters<Sql['unsafe']>) => {
        if (++statements < n) return tx.unsafe(...call);
        died = true;
        throw new Error('the process has died');
      };
      return work({ ...tx, unsafe } as unknown as Sql);
    });
  return { client: { ...client, begin, unsafe: client.unsafe } as unknown as Sql, died: () => died };
}

/** Two scans of a few findings with activity, sightings and an exploit. */
async function fill(): Promise<string[]> {
  const [first, second] = [await createScan(t.api, org), await createScan(t.api, org)];
  const ids: string[] = [];
  for (const fingerprint of ['a', 'b', 'c']) {
    const { id } = await push(t.api, org, first, { fingerprint });
    await push(t.api, org, second, { fingerprint });
    ids.push(id);
  }
  must(await t.api.patch(`/agent/scans/${first}`, { ...org.asAgent, body: { status: 'completed' } }));
  must(await t.api.post(`/findings/${ids[0]}/comments`, { ...org.asOwner, body: { body: 'Why?' } }));
  must(await t.api.patch(`/findings/${ids[1]}`, { ...org.asOwner, body: { status: 'confirmed' } }));
  const exploit = { filename: 'poc.py', language: 'python', code: 'print(1)' };
  must(await t.api.post(`/agent/findings/${ids[0]}/exploits`, { ...org.asAgent, body: exploit }));
  must(await t.api.put(`/projects/${org.projectId}/due-dates`, { ...org.asOwner, body: { critical: 3 } }));
  return ids;
}

const COUNTED = [
  ...['projects', 'findings', 'scans', 'sightings', 'exploits', 'finding_events', 'api_tokens', 'due_dates'],
];

/** How many rows of each table an organization has. */
async function rowsOf(of: TestOrg): Promise<Record<string, number>> {
  const counts = COUNTED.map((table) => {
    const where = table === 'projects' ? "where transfer is distinct from 'in'" : '';
    return `(select count(*)::int from @.${table} ${where}) as ${table}`;
  });
  const [row] = await sql(`select ${counts.join(', ')}`, of);
  return { ...row } as Record<string, number>;
}

const NOTHING = Object.fromEntries(COUNTED.map((table) => [table, 0]));
const transfers = async () =>
  (await sql(`select * from shared.project_transfers where project_id = '${org.projectId}'`)).length;
/** As if the process that holds the leases had died. */
const expireLeases = () => sql("update shared.project_transfers set lease_until = now() - interval '1 s'");

describe('a process that dies', () => {
  it('before any statement leaves the project in the source, and another one moves it', async () => {
    await fill();
    const rows = await rowsOf(org);
    await start();
    let deaths = 0;
    for (let n = 1; ; n++) {
      const { client, died } = diesBefore(n);
      const moved = await move(client).catch(() => undefined);
      if (!died()) {
        expect(moved).toEqual({ findings: 3, tokens: 1 });
        break;
      }
      deaths++;
      expect([n, await rowsOf(org)]).toEqual([n, rows]);
      expect([n, await rowsOf(labs)]).toEqual([n, NOTHING]);
      expect((await get('/projects/web-shop')).status).toBe(200);
      expect((await get('/projects/web-shop', labs)).status).toBe(404);
    }
    expect(deaths).toBeGreaterThan(30);
    expect(await rowsOf(labs)).toEqual(rows);
    expect(await rowsOf(org)).toEqual(NOTHING);
    expect(await transfers()).toBe(0);
    for (const one of [org, labs]) {
      await expectKeptCounts(t.services.database, one);
      await expectNothingLeft(t.services.database, one);
    }
  });

  it('keeps others away as long as its lease', async () => {
    await fill();
    await start();
    const version = t.services.orgMigrations.length;
    expect(await takeTransfer(t.services.database.sql, version)).toMatchObject({ projectId: org.projectId });
    await transferProjects(t.services);
    expect((await rowsOf(org)).findings).toBe(3);
    await expireLeases();
    await transferProjects(t.services);
    expect([await rowsOf(org), await transfers()]).toEqual([NOTHING, 0]);
    expect(LEASE_MS).toBeGreaterThan(30_000);
  });

  it('leaves turns to other organizations, however many projects one transfers', async () => {
    await sql('delete from shared.project_transfers');
    const { id: other } = await createOrg(t.api);
    for (const [i, source] of [org.id, org.id, org.id, other].entries())
      await sql(`insert into shared.project_transfers (project_id, source_id, target_id, slug, started_at, findings, lease_until)
        values (gen_random_uuid(), '${source}', '${labs.id}', 'web-shop', now() + interval '${i} ms', 0, now() - interval '${9 - i} s')`);
    const version = t.services.orgMigrations.length;
    const sources: unknown[] = [];
    for (let i = 0; i < 4; i++)
      sources.push((await takeTransfer(t.services.database.sql, version))?.sourceId);
    await sql('delete from shared.project_transfers');
    expect(sources).toEqual([org.id, other, org.id, org.id]);
  });

  it('and one that believes in its lease as well move the project once', async () => {
    await fill();
    const rows = await rowsOf(org);
    await start();
    const ends = await Promise.allSettled([move(), move(), move()]);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect([await rowsOf(org), await rowsOf(labs)]).toEqual([NOTHING, rows]);
    await expectKeptCounts(t.services.database, labs);
  });
});

describe('until it is moved, a project', () => {
  it('is shown in the source only, with the state of its transfer', async () => {
    const [id] = await fill();
    await start();
    expect(must(await get('/projects/web-shop/transfer'))).toMatchObject({
      ...{ project_id: org.projectId, organization: { slug: labs.slug, name: 'Labs' } },
      ...{ slug: 'web-shop', state: 'waiting', findings: 3, copied: 0 },
    });
    expect((await get(`/projects/${org.projectId}/transfer`, labs)).status).toBe(404);
    expect((await get(`/findings/${id}`)).status).toBe(200);
    for (const path of ['/projects/web-shop', `/projects/${org.projectId}/due-dates`, `/findings/${id}`])
      expect((await get(path, labs)).status, path).toBe(404);
    expect(must(await get('/projects', labs))).toEqual([]);
    // Its slug is reserved.
    const body = { name: 'Web shop', slug: 'web-shop' };
    expect((await t.api.post('/projects', { ...labs.asOwner, body })).error).toBe(
      'resource_error/already_exists',
    );
  });

  it('takes no changes', async () => {
    const [id] = await fill();
    const scan = await createScan(t.api, org);
    const { id: comment } = must(
      await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body: 'Mine' } }),
    );
    const change = must(
      await t.api.patch('/findings', { ...org.asOwner, body: { ids: [id], status: 'fixed' } }),
    );
    const rule = must(
      await t.api.post('/rules', {
        ...org.asOwner,
        body: { name: 'r', conditions: { severity: ['high'] }, actions: { status: 'confirmed' } },
      }),
    );
    const listed = async () => (await t.api.get('/projects', org.asOwner)).result[0].transferring;
    expect(await listed()).toBeUndefined();
    await start();
    expect(await listed()).toBe(true);
    const own = org.asOwner;
    const agent = org.asAgent;
    const report = { ...own, body: '{"findings":[]}' };
    const filter = { filter: {}, expected_count: 3, status: 'fixed' };
    const answers = {
      push: t.api.post('/agent/findings', { ...agent, body: finding(org, scan) }),
      register: t.api.post('/agent/scans', {
        ...agent,
        body: { scan_id: 'new', project_id: org.projectId, persona: 'senku' },
      }),
      complete: t.api.patch(`/agent/scans/${scan}`, { ...agent, body: { status: 'completed' } }),
      verify: t.api.patch(`/agent/findings/${id}`, { ...agent, body: { status: 'verified' } }),
      exploit: t.api.post(`/agent/findings/${id}/exploits`, {
        ...agent,
        body: { filename: 'a', language: 'b', code: 'c' },
      }),
      agentReport: t.api.post(`/agent/reports?project_id=${org.projectId}`, { ...agent, body: report.body }),
      report: t.api.post(`/projects/${org.projectId}/reports`, report),
      triage: t.api.patch(`/findings/${id}`, { ...own, body: { status: 'fixed' } }),
      bulk: t.api.patch('/findings', { ...own, body: { ids: [id], status: 'fixed' } }),
      byFilter: t.api.patch('/findings', { ...own, body: filter }),
      comment: t.api.post(`/findings/${id}/comments`, { ...own, body: { body: 'b' } }),
      edit: t.api.patch(`/findings/${id}/comments/${comment}`, { ...own, body: { body: 'b' } }),
      remove: t.api.delete(`/findings/${id}/comments/${comment}`, own),
      issue: t.api.post(`/findings/${id}/issues`, { ...own, body: { integration_id: randomUUID() } }),
      unlink: t.api.delete(`/findings/${id}/issues/${randomUUID()}`, own),
      deleteFinding: t.api.delete(`/findings/${id}`, own),
      deleteScan: t.api.delete(`/scans/${scan}`, own),
      token: t.api.post(`/projects/${org.projectId}/tokens`, { ...own, body: { name: 'ci' } }),
      due: t.api.put(`/projects/${org.projectId}/due-dates`, { ...own, body: { critical: 1 } }),
      rename: t.api.patch('/projects/web-shop', { ...own, body: { slug: 'shop' } }),
      delete: t.api.delete('/projects/web-shop', { ...own, body: { confirm: 'web-shop' } }),
      again: t.api.post('/projects/web-shop/transfer', {
        ...own,
        body: { organization: labs.slug, confirm: 'web-shop' },
      }),
      apply: t.api.post(`/rules/${rule.id}/apply`, { ...own, body: {} }),
      undoRule: t.api.post(`/rules/${rule.id}/undo`, { ...own, body: {} }),
      undo: t.api.post(`/changes/${change.change_id}/undo`, own),
      deleteSource: t.api.delete(`/orgs/${org.slug}`, { cookie: own.cookie, body: { confirm: org.slug } }),
      deleteTarget: t.api.delete(`/orgs/${labs.slug}`, { cookie: own.cookie, body: { confirm: labs.slug } }),
    };
    for (const [name, answer] of Object.entries(answers)) {
      const { status, error } = await answer;
      expect([name, status, error]).toEqual([name, 409, 'resource_error/conflict']);
    }
    const batch = must(
      await t.api.post('/agent/findings/batch', { ...agent, body: { findings: [finding(org, scan)] } }),
    );
    expect(batch).toMatchObject({ failed: 1, results: [{ error: { code: 'conflict' } }] });
    // Other projects do.
    must(await t.api.post('/projects', { ...own, body: { name: 'Other' } }));
    await transferProjects(t.services);
    expect((await rowsOf(labs)).findings).toBe(3);
  });

  it('refuses triage at once while its rows are locked, and changes no other findings of the request', async () => {
    const [id] = await fill();
    const elsewhere = await addProject(t.api, org);
    const stays = await push(t.api, elsewhere, await createScan(t.api, elsewhere));
    await start();
    await t.services.database.sql.begin(async (tx) => {
      await tx.unsafe(`select 1 from "${orgSchemaName(org.id)}".findings for update`);
      const answers = [
        await t.api.patch('/findings', { ...org.asOwner, body: { ids: [stays.id, id], status: 'fixed' } }),
        await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }),
        await t.api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status: 'verified' } }),
        await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body: 'b' } }),
      ];
      expect(answers.map(({ error }) => error)).toEqual(answers.map(() => 'resource_error/conflict'));
    });
    expect(must(await get(`/findings/${stays.id}`)).status).toBe('open');
    must(await t.api.patch(`/findings/${stays.id}`, { ...org.asOwner, body: { status: 'fixed' } }));
  });

  it('loses no push or triage that was in progress when it began', async () => {
    const scan = await createScan(t.api, org);
    const pushes = Array.from({ length: 60 }, (_, i) =>
      t.api.post('/agent/findings', { ...org.asAgent, body: finding(org, scan, { fingerprint: `fp-${i}` }) }),
    );
    const moving = start().then(() => transferProjects(t.services));
    const answers = await Promise.all(pushes);
    await moving;
    await expireLeases();
    await transferProjects(t.services);
    const written = answers.filter(({ status }) => status === 201).map(({ result }) => result.id);
    for (const { status } of answers) expect([201, 401, 404, 409]).toContain(status);
    const found = must(await get('/findings', labs)).map(({ id }: { id: string }) => id);
    expect(found.toSorted()).toEqual(written.toSorted());
    expect(await rowsOf(org)).toEqual(NOTHING);
    await expectKeptCounts(t.services.database, labs);
  });

  it('carries a change that another process makes while it is copied, or refuses it', async () => {
    const ids = await fill();
    await start();
    const outcomes: number[] = [];
    const moving = move(undefined, async () => {
      // After the batch of findings: they are locked. A process that does not know of the transfer waits, and finds nothing.
      if (outcomes.length > 0) return;
      const changed = sql(`update @.findings set status = 'fixed' where id = '${ids[2]}' returning 1`);
      outcomes.push(0);
      void changed.then((rows) => outcomes.push(rows.length));
    });
    await moving;
    await vi.waitFor(() => expect(outcomes).toHaveLength(2));
    const [row] = await sql(`select status from @.findings where id = '${ids[2]}'`, labs);
    expect([outcomes[1], row?.status]).toEqual(outcomes[1] === 1 ? [1, 'fixed'] : [0, 'open']);
  });
});

describe('the organization that gets a project', () => {
  it('creates and renames projects meanwhile', async () => {
    await fill();
    await start();
    const body = { name: 'Web shop' };
    await move(undefined, async () => {
      const named = t.api.post('/projects', { ...labs.asOwner, body: { ...body, slug: 'web-shop' } });
      const created = t.api.post('/projects', { ...labs.asOwner, body });
      const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 3_000));
      expect((await Promise.race([named, late]))?.error).toBe('resource_error/already_exists');
      const slug = must((await Promise.race([created, late])) as Awaited<typeof created>).slug;
      const rename = t.api.patch(`/projects/${slug}`, { ...labs.asOwner, body: { slug: 'web-shop' } });
      expect((await Promise.race([rename, late]))?.error).toBe('resource_error/already_exists');
    });
  });
});

describe('a transfer', () => {
  const cancel = (as = org.asOwner) => t.api.delete('/projects/web-shop/transfer', as);

  it('that is cancelled leaves everything as it was', async () => {
    await fill();
    const rows = await rowsOf(org);
    await start();
    expect((await cancel()).status).toBe(204);
    expect((await cancel()).error).toBe('resource_error/not_found');
    expect([await rowsOf(org), await rowsOf(labs), await transfers()]).toEqual([rows, NOTHING, 0]);
    must(await t.api.post('/projects', { ...labs.asOwner, body: { name: 'Web shop', slug: 'web-shop' } }));
    await push(t.api, org, await createScan(t.api, org));
    await transferProjects(t.services);
    expect((await get('/projects/web-shop')).status).toBe(200);
  });

  it('that is cancelled lets a push be repeated with its idempotency key', async () => {
    const scan = await createScan(t.api, org);
    await start();
    const batch = {
      ...{ ...org.asAgent, body: { findings: [finding(org, scan)] } },
      headers: { 'idempotency-key': crypto.randomUUID() },
    };
    const refused = must(await t.api.post('/agent/findings/batch', batch));
    expect(refused).toMatchObject({ failed: 1, results: [{ error: { code: 'conflict' } }] });
    expect((await cancel()).status).toBe(204);
    for (const _ of [1, 2])
      expect(must(await t.api.post('/agent/findings/batch', batch))).toMatchObject({ created: 1, failed: 0 });
    expect(must(await get('/findings'))).toHaveLength(1);
  });

  it('is cancelled while a process works on it, which then undoes what it has copied', async () => {
    await fill();
    await start();
    const taken = await takeTransfer(t.services.database.sql, t.services.orgMigrations.length);
    expect((await cancel()).status).toBe(204);
    expect(must(await get('/projects/web-shop/transfer')).state).toBe('cancelling');
    await expect(move()).rejects.toThrow(TransferOver);
    if (taken) await releaseTransfer(t.services.database.sql, taken);
    await transferProjects(t.services);
    expect((await get('/projects/web-shop/transfer')).status).toBe(404);
    expect([(await rowsOf(org)).findings, await rowsOf(labs)]).toEqual([3, NOTHING]);
  });

  it('is not complete for its request if it is cancelled meanwhile', async () => {
    await fill();
    const body = { organization: labs.slug, confirm: 'web-shop' };
    let starting: ReturnType<typeof t.api.post> | undefined;
    await t.services.database.sql.begin(async (tx) => {
      await tx.unsafe(`select 1 from "${orgSchemaName(org.id)}".scans for update`);
      starting = t.api.post('/projects/web-shop/transfer', { ...org.asOwner, body });
      const state = async () => (await get('/projects/web-shop/transfer')).json.result?.state;
      await vi.waitFor(async () => expect(await state()).toBe('moving'), 5_000);
      expect((await cancel()).status).toBe(204);
    });
    expect((await starting)?.error).toBe('resource_error/conflict');
    expect([(await rowsOf(org)).findings, await rowsOf(labs)]).toEqual([3, NOTHING]);
  });

  it('that fails is tried again later, and says why', async () => {
    await fill();
    await start();
    // A finding of another project has the id of one of the project, as in an organization that was copied from a backup.
    await sql(
      `insert into @.findings select * from "${orgSchemaName(org.id)}".findings where fingerprint = 'a'`,
      labs,
    );
    await sql(`update @.findings set project_id = gen_random_uuid()`, labs);
    await transferProjects(t.services);
    const [row] =
      await sql(`select error, attempts, lease_until > now() as later from shared.project_transfers
      where project_id = '${org.projectId}'`);
    expect(row).toEqual({ error: '23505', attempts: 1, later: true });
    expect((await rowsOf(org)).findings).toBe(3);
    await sql('delete from @.findings', labs);
    await expireLeases();
    await transferProjects(t.services);
    expect([(await rowsOf(org)).findings, (await rowsOf(labs)).findings]).toEqual([0, 3]);
  });

  it('that fails ten times ends, and the project stays', async () => {
    await fill();
    await start();
    await sql(
      `insert into @.findings select * from "${orgSchemaName(org.id)}".findings where fingerprint = 'a'`,
      labs,
    );
    await sql(`update @.findings set project_id = gen_random_uuid()`, labs);
    await sql(`update shared.project_transfers set attempts = 8 where project_id = '${org.projectId}'`);
    const attempt = async () => {
      await expireLeases();
      await transferProjects(t.services);
      return (await get('/projects/web-shop/transfer')).json.result?.state;
    };
    expect([await attempt(), await attempt()]).toEqual(['moving', 'cancelling']);
    expect(await attempt()).toBeUndefined();
    expect([(await rowsOf(org)).findings, (await rowsOf(labs)).projects]).toEqual([3, 0]);
    await push(t.api, org, await createScan(t.api, org));
    must(await t.api.post('/projects', { ...labs.asOwner, body: { name: 'Web shop', slug: 'web-shop' } }));
  });

  it('of a larger project is left to the periodic task by its request', async () => {
    const body = JSON.stringify({
      findings: Array.from({ length: 1_200 }, (_, i) => ({ title: `Weak cipher ${i}`, severity: 'low' })),
    });
    must(await t.api.post(`/projects/${org.projectId}/reports`, { ...org.asOwner, body }));
    const transfer = { organization: labs.slug, confirm: 'web-shop' };
    const started = must(await t.api.post('/projects/web-shop/transfer', { ...org.asOwner, body: transfer }));
    expect(started).toMatchObject({ state: 'waiting', findings: 1_200, copied: 0 });
    await transferProjects(t.services);
    expect([(await rowsOf(org)).findings, (await rowsOf(labs)).findings]).toEqual([0, 1_200]);
    await expectKeptCounts(t.services.database, labs);
  });

  it('gives accounts that are being erased one more pass', async () => {
    const user = '01890a5d-ac96-774b-bcce-b302099a8057';
    await sql(`insert into shared.account_erasures (user_id, emails, deleted_at, first_org_ids, passes, lease_until)
      values ('${user}', '{}', now(), '{}', 1, now() + interval '1 hour')`);
    await start();
    await transferProjects(t.services);
    // Projects that move back and forth do not keep them waiting for ever.
    const there = { organization: org.slug, confirm: 'web-shop' };
    expect(
      must(await t.api.post('/projects/web-shop/transfer', { ...labs.asOwner, body: there })).state,
    ).toBe('done');
    const [row] = await sql(`delete from shared.account_erasures where user_id = '${user}' returning passes`);
    expect(row?.passes).toBe(0);
  });

  it('is not taken apart by a process that ends an earlier one late', async () => {
    await start();
    const transfer = { projectId: org.projectId, sourceId: org.id, targetId: labs.id };
    const tables = { source: tablesOf(org), target: tablesOf(labs) };
    await expect(removeMarks(t.services.database.sql, transfer, tables)).rejects.toThrow(TransferOver);
    await transferProjects(t.services);
    expect((await get('/projects/web-shop', labs)).status).toBe(200);
  });

  it('whose note is missing, as after a restore from a backup, is forgotten', async () => {
    await start();
    await purgeOrgs(t.services);
    expect((await get('/projects/web-shop/transfer')).status).toBe(200);
    await sql(`delete from shared.project_transfers where project_id = '${org.projectId}'`);
    await purgeOrgs(t.services);
    must(await t.api.patch('/projects/web-shop', { ...org.asOwner, body: { name: 'Shop' } }));
    must(await t.api.post('/projects', { ...labs.asOwner, body: { name: 'Web shop', slug: 'web-shop' } }));
  });
});

describe('the quota of projects', () => {
  it('counts a project that arrives', async () => {
    const app = await startApp({ env: { SVC_MAX_PROJECTS_PER_ORG: '1' }, databaseUrl: t.databaseUrl });
    const create = () => app.api.post('/projects', { ...labs.asOwner, body: { name: 'One more' } });
    await start();
    expect((await create()).error).toBe('resource_error/conflict');
    must(await t.api.delete('/projects/web-shop/transfer', org.asOwner));
    must(await create());
    const body = { organization: labs.slug, confirm: 'web-shop' };
    const refused = await app.api.post('/projects/web-shop/transfer', { ...org.asOwner, body });
    expect([refused.status, refused.error]).toEqual([409, 'resource_error/conflict']);
  });
});
