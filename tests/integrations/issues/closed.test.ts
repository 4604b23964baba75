import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeasedDestination } from '../../../db/events/destinations.ts';
import { readWork } from '../../../db/issues/work.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { defineOrgTables } from '../../../db/schema/org.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { doWork } from '../../../lib/issues/send.ts';
import type { Tracker } from '../../../lib/trackers/tracker.ts';
import { addMember, addProject, createScan, must, push } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, HOUR_MS, type IssueWorld } from './kit.ts';

/* Issues that somebody closes at the tracker, and the rule `on_closed`. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
  await w.patch({ on_closed: 'fixed' });
});

/** Reports a finding that has an open issue. */
async function withIssue(fields: object = {}): Promise<string> {
  const finding = await w.report(fields);
  must(await w.request(finding));
  await w.inState(finding, 'open');
  return finding;
}
/** Closes or opens the issue at the tracker, which is read the next day. */
async function edit(finding: string, state: 'open' | 'closed') {
  w.edit({ state });
  await w.nextDay();
  const issue = await w.inState(finding, state);
  await w.settle();
  return issue;
}
const reasonOf = async (finding: string, state = 'closed') => (await w.inState(finding, state)).reason;
const changes = async (as: object = w.org.asOwner) => must(await t.api.get('/changes?of=all', as));
const undo = (id: string, as: object = w.org.asOwner) => t.api.post(`/changes/${id}/undo`, as);
const told = () => w.github.requests.filter(({ method }) => method !== 'GET');
const events = () => w.run(`select actor_id from ORG.events where type = 'finding.status_changed'`);

describe('an issue that somebody closes at the tracker', () => {
  it('changes no finding by default, and the reason is shown each day', async () => {
    await w.patch({ on_closed: 'nothing' });
    const finding = await withIssue();
    const { reason } = await edit(finding, 'closed');
    expect(reason).toContain('changes no finding');
    await w.nextDay();
    expect(await w.inState(finding, 'closed')).toMatchObject({ reason });
    // The rule is not applied to what was closed before.
    await w.patch({ on_closed: 'fixed' });
    await w.nextDay();
    expect(await reasonOf(finding)).toContain('closed again');
    expect(await w.statusOf(finding)).toBe('open');
  });

  it.each(['close', 'comment'])(
    'sets its findings to fixed, and is not told so (%s)',
    async (on_resolved) => {
      await w.patch({ on_resolved });
      const findings = [await w.report(), await w.report(), await w.report()];
      const [open = '', confirmed = '', dismissed = ''] = findings;
      must(await w.many(findings));
      await w.inState(open, 'open');
      await w.triage(confirmed, { status: 'confirmed' });
      await w.triage(dismissed, { status: 'wontfix' });
      await w.settle();
      const requests = told().length;
      const before = (await events()).length;
      expect(await edit(open, 'closed')).not.toHaveProperty('reason');
      expect(await Promise.all(findings.map(w.statusOf))).toEqual(['fixed', 'fixed', 'wontfix']);
      await w.nextDay();
      await w.settle();
      expect([told().length, w.comments()]).toEqual([requests, 0]);
      expect((await events()).slice(before)).toEqual([{ actor_id: null }]);
      const [entry] = must(await t.api.get(`/findings/${confirmed}/activity`, w.org.asOwner));
      expect(entry).toMatchObject({
        kind: 'status',
        from: 'confirmed',
        to: 'fixed',
        actor: { type: 'system' },
      });
      expect(entry.note).toContain('issue 1 of Web shop');
    },
  );

  it('makes a change that admins can undo', async () => {
    const finding = await withIssue();
    await edit(finding, 'closed');
    const [change] = await changes();
    expect(change).toMatchObject({
      ...{ finding_id: finding, findings: 1, can_undo: true },
      what: { status: { to: 'fixed' } },
    });
    expect(change.actor).toEqual({ type: 'system' });
    expect(must(await t.api.get('/changes', w.org.asOwner))).toEqual([]);
    const { as } = await addMember(t.api, w.org, 'member');
    expect(await changes(as)).toMatchObject([{ id: change.id, can_undo: false }]);
    expect((await undo(change.id, as)).status).toBe(403);
    must(await undo(change.id));
    expect(await w.statusOf(finding)).toBe('open');
    // The decision is not overruled by the same closing.
    for (let day = 0; day < 2; day++) {
      await w.nextDay();
      expect(await reasonOf(finding)).toContain('closed again');
    }
    expect([await w.statusOf(finding), told().length]).toEqual(['open', 1]);
  });

  it('counts once for each closing', async () => {
    const finding = await withIssue();
    await edit(finding, 'closed');
    await w.triage(finding, { status: 'open' });
    await w.settle();
    await edit(finding, 'open');
    expect(await w.statusOf(finding)).toBe('open');
    await edit(finding, 'closed');
    expect(await w.statusOf(finding)).toBe('fixed');
  });

  it('is opened again when a scan reports a finding again', async () => {
    const fields = { fingerprint: 'sqli' };
    const finding = await withIssue(fields);
    await w.complete();
    await edit(finding, 'closed');
    await w.scanAgain(fields);
    await w.settle();
    await w.inState(finding, 'open');
    const { status, regressed } = must(await t.api.get(`/findings/${finding}`, w.org.asOwner));
    expect([status, regressed, w.first()?.state, w.comments()]).toEqual(['open', true, 'open', 1]);
  });

  it('changes findings of the projects of the integration only', async () => {
    const other = await addProject(t.api, w.org);
    const findings = [await w.report(), (await push(t.api, other, await createScan(t.api, other))).id];
    const [own = '', foreign = ''] = findings;
    must(await w.many(findings));
    await w.inState(own, 'open');
    await w.patch({ project_ids: [w.org.projectId] });
    const { reason } = await edit(own, 'closed');
    expect(reason).toContain('not for the projects');
    expect(await Promise.all(findings.map(w.statusOf))).toEqual(['fixed', 'open']);
    await w.nextDay();
    expect(await w.inState(own, 'closed')).toMatchObject({ reason });
    await w.triage(foreign, { status: 'fixed' });
    await w.settle();
    expect(await w.inState(own, 'closed')).not.toHaveProperty('reason');
    expect(told()).toHaveLength(1);
  });

  it('does not count if it was closed when it was linked', async () => {
    const first = await withIssue();
    must(await w.unlink(first, (await w.issues(first))[0].id));
    w.edit({ state: 'closed' });
    const second = await w.report();
    must(await w.request(second, { url: `${w.github.url}/acme/web-shop/issues/1` }));
    expect(await reasonOf(second)).toContain('closed again');
    expect(await w.statusOf(second)).toBe('open');
  });

  it('does not count if this service has closed it, also if the answer was lost', async () => {
    const finding = await withIssue();
    let isDown = false;
    w.github.intercept = ({ method }) => {
      if (isDown) return { status: 503, body: {} };
      isDown = method === 'PATCH';
      return isDown ? 'lost' : undefined;
    };
    await w.triage(finding, { status: 'fixed' });
    await w.settle();
    await expect.poll(() => w.first()?.state).toBe('closed');
    await w.settle();
    expect(await reasonOf(finding, 'open')).toContain('503');
    await w.triage(finding, { status: 'open' });
    w.github.intercept = undefined;
    await w.later(HOUR_MS);
    await w.settle();
    expect(await reasonOf(finding)).toContain('regression');
    await w.nextDay();
    await w.inState(finding, 'closed');
    expect(await w.statusOf(finding)).toBe('open');
  });
});

describe('a process', () => {
  /** Reads the issue as it is recorded now. @returns the work of a process that finds it closed */
  async function reader(sql: Sql = t.services.database.sql) {
    const tables = defineOrgTables(orgSchemaName(w.org.id));
    const [row] = await w.run('select * from shared.destinations where id = $1', [w.integration]);
    const { id, slug } = w.org;
    const destination = { ...row, projectIds: null, org: { id, slug, name: slug } } as LeasedDestination;
    const [{ id: issueId }] = await w.run('select id from ORG.issues');
    const work = await readWork(sql, tables, issueId, destination);
    if (!work) throw new Error('the issue is missing');
    const tracker = {
      keyOf: () => work.key ?? undefined,
      read: async () => ({ key: '1', isClosed: true, status: 'closed' }),
    } as Partial<Tracker> as Tracker;
    const { config, clock, nextId } = t.services;
    const context = { sql, tables, config, clock, nextId, giveUpAt: new Date(0) };
    return () => doWork(context, destination, work, tracker);
  }

  it('that has read an issue before another one does not overrule a person', async () => {
    const finding = await withIssue();
    const readers = [await reader(), await reader(), await reader()];
    const [late, ...others] = readers;
    w.edit({ state: 'closed' });
    await Promise.all(others.map((read) => read()));
    expect([await w.statusOf(finding), (await changes()).length]).toEqual(['fixed', 1]);
    await w.triage(finding, { status: 'open' });
    await late?.();
    expect(await w.statusOf(finding)).toBe('open');
    expect(await events()).toHaveLength(2);
  });

  it('that dies between the findings and the issue has changed neither', async () => {
    const finding = await withIssue();
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
    await edit(finding, 'closed');
    expect(await w.statusOf(finding)).toBe('fixed');
  });
});
