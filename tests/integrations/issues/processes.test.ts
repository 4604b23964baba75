import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeasedDestination } from '../../../db/events/destinations.ts';
import { readWork } from '../../../db/issues/work.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { defineOrgTables } from '../../../db/schema/org.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { doWork } from '../../../lib/issues/send.ts';
import type { Tracker } from '../../../lib/trackers/tracker.ts';
import { must } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, type IssueWorld } from './kit.ts';

/* Processes that work on one issue at the same time, or die. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
  await w.patch({ on_closed: 'fixed' });
});

const events = () => w.run(`select actor_id from ORG.events where type = 'finding.status_changed'`);

describe('a process', () => {
  /** Reads the issue as it is recorded now. @returns the work of a process that finds it closed */
  async function reader(sql: Sql = t.services.database.sql, fake: Partial<Tracker> = {}) {
    const tables = defineOrgTables(orgSchemaName(w.org.id));
    const [row] = await w.run('select * from shared.destinations where id = $1', [w.integration]);
    const { id, slug } = w.org;
    const destination = { ...row, projectIds: null, org: { id, slug, name: slug } } as LeasedDestination;
    const [{ id: issueId }] = await w.run('select id from ORG.issues');
    const work = await readWork(sql, tables, issueId, destination);
    if (!work) throw new Error('the issue is missing');
    const tracker = {
      keyOf: () => work.key ?? undefined,
      read: async () => ({ key: '1', isClosed: true, isCompleted: true, status: 'closed' }),
      ...fake,
    } as Partial<Tracker> as Tracker;
    const { config, clock, nextId } = t.services;
    const context = { sql, tables, config, clock, nextId, at: clock() };
    return () => doWork(context, destination, work, tracker);
  }

  it('that has read an issue before another one does not overrule a person', async () => {
    const finding = await w.withIssue();
    const readers = [await reader(), await reader(), await reader()];
    const [late, ...others] = readers;
    w.edit({ state: 'closed' });
    await Promise.all(others.map((read) => read()));
    expect([
      await w.statusOf(finding),
      (await w.run('select id from ORG.changes where actor_id is null')).length,
    ]).toEqual(['fixed', 1]);
    await w.triage(finding, { status: 'open' });
    await late?.();
    expect(await w.statusOf(finding)).toBe('open');
    expect(await events()).toHaveLength(2);
  });

  it('that dies between the findings and the issue has changed neither', async () => {
    const finding = await w.withIssue();
    const { sql } = t.services.database;
    const dying = {
      unsafe: sql.unsafe,
      begin: (run: Parameters<Sql['begin']>[0]) =>
        sql.begin((tx) =>
          run({
            unsafe: ((text: string, ...more: never[]) => {
              if (/^\s*update "\w+"\."issues"/.test(text)) throw new Error('died');
              return tx.unsafe(text, ...more);
            }) as Sql['unsafe'],
          }),
        ),
    } as Sql;
    const read = await reader(dying);
    await expect(read()).rejects.toThrow('died');
    expect([await w.statusOf(finding), await events()]).toEqual(['open', []]);
    w.edit({ state: 'closed', state_reason: 'completed' });
    await w.nextDay();
    await w.inState(finding, 'closed');
    expect(await w.statusOf(finding)).toBe('fixed');
  });

  it('that creates an issue keeps another one from it, also one that is late', async () => {
    w.github.intercept = () => ({ status: 503, body: {} });
    const finding = await w.report();
    must(await w.request(finding));
    await t.services.outbox.run();
    await expect.poll(async () => (await w.issues(finding))[0].reason).toContain('503');
    let created = 0;
    const fake: Partial<Tracker> = {
      find: async () => undefined,
      create: async () => String(++created),
      urlOf: (key) => `https://github.com/acme/web-shop/issues/${key}`,
    };
    t.advance(1_000);
    const both = [await reader(undefined, fake), await reader(undefined, fake)];
    const done = await Promise.allSettled(both.map((create) => create()));
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(created).toBe(1);
  });
});
