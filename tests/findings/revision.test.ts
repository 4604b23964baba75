import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readRevision } from '../../db/findings/counts/revision.ts';
import { defineOrgTables, type OrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createKnownRevisions, createRevisions } from '../../lib/findings/revisions.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Open pages poll one number to notice that something has changed. */

let t: TestApp;
let org: TestOrg;
let tables: OrgTables;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  tables = defineOrgTables(orgSchemaName(org.id));
  scanId = await createScan(t.api, org);
});

const current = () => readRevision(t.services.database.sql, tables);
const get = (headers = {}, as = org.asOwner) => t.api.get('/revision', { ...as, headers });
const patch = async (id: string, body: object) =>
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body }));

/** Runs a step and tells whether the revision is another one afterwards. */
async function isNoticed(step: () => Promise<unknown>): Promise<boolean> {
  const before = await current();
  await step();
  return (await current()) !== before;
}

describe('the revision of an organization', () => {
  it('changes with findings, decisions, comments and scans', async () => {
    let id = '';
    const again = () => push(t.api, org, scanId, { fingerprint: 'one' });
    const comments = `/findings/:id/comments`;
    const at = () => comments.replace(':id', id);
    let comment = '';
    const body = { body: 'Who fixes this?' };
    const steps: Record<string, () => Promise<unknown>> = {
      'a new finding': async () => {
        id = (await again()).id;
      },
      'a severity': () => push(t.api, org, scanId, { fingerprint: 'one', severity: 'critical' }),
      'a status': () => patch(id, { status: 'fixed' }),
      'a regression': again,
      'the end of a regression': () => patch(id, { status: 'fixed' }),
      'a reason': () => patch(id, { status: 'wontfix', reason: 'risk_accepted' }),
      'another reason': () => patch(id, { reason: 'other' }),
      'a note': () => patch(id, { status: 'wontfix', note: 'As agreed.' }),
      'an assignee': () => patch(id, { assignee_id: org.owner.id }),
      'no assignee': () => patch(id, { assignee_id: null }),
      'a due date': () => patch(id, { due_at: '2030-01-01T00:00:00Z' }),
      'many findings': async () =>
        must(
          await t.api.patch('/findings', { ...org.asOwner, body: { ids: [id], assignee_id: org.owner.id } }),
        ),
      'a comment': async () => {
        comment = must(await t.api.post(at(), { ...org.asOwner, body })).id;
      },
      'an edited comment': async () =>
        must(await t.api.patch(`${at()}/${comment}`, { ...org.asOwner, body: { body: 'Ada does.' } })),
      'a removed comment': () => t.api.delete(`${at()}/${comment}`, org.asOwner),
      'an exploit': () =>
        t.api.post(`/agent/findings/${id}/exploits`, {
          ...org.asAgent,
          body: { filename: 'poc.py', language: 'python', code: 'print(1)' },
        }),
      'an agent': () =>
        t.api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status: 'verified' } }),
      'a scan that begins': () => createScan(t.api, org, 'later'),
      'a scan that ends': () =>
        t.api.patch('/agent/scans/later', { ...org.asAgent, body: { status: 'completed' } }),
    };
    const unnoticed: string[] = [];
    for (const [name, step] of Object.entries(steps)) if (!(await isNoticed(step))) unnoticed.push(name);
    expect(unnoticed).toEqual([]);
  });

  it('stays where nothing has changed', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'seen' });
    const other = await createOrg(t.api);
    const steps: Record<string, () => Promise<unknown>> = {
      nothing: async () => {},
      'a finding seen again': () => push(t.api, org, scanId, { fingerprint: 'seen' }),
      'a change that is refused': () =>
        t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed', if_status: 'confirmed' } }),
      "another organization's finding": async () => push(t.api, other, await createScan(t.api, other)),
    };
    const noticed: string[] = [];
    for (const [name, step] of Object.entries(steps)) if (await isNoticed(step)) noticed.push(name);
    expect(noticed).toEqual([]);
  });
});

describe('GET /revision', () => {
  it('answers 304 to those who know it', async () => {
    const first = await get();
    const tag = first.headers.get('etag');
    expect(first.result).toEqual({ revision: expect.any(String) });
    expect(tag).toBe(`"${first.result.revision}"`);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await get({ 'if-none-match': known });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    }
    for (const known of ['"other"', first.result.revision, ''])
      expect(await get({ 'if-none-match': known })).toMatchObject({ status: 200, result: first.result });
  });
});

describe('many open pages', () => {
  it('cost one query in two seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    let queries = 0;
    const { database } = t.services;
    const counting = {
      ...database,
      of: (of: { id: string }) => ({
        ...database.of(of),
        sql: new Proxy(database.of(of).sql, {
          get(target, name) {
            if (name === 'unsafe') queries++;
            return Reflect.get(target, name);
          },
        }),
      }),
    };
    const revisions = createRevisions(counting, createKnownRevisions());
    const poll = () => Promise.all(Array.from({ length: 1_000 }, () => revisions({ id: org.id, tables })));
    const [first, ...others] = await poll();
    expect(new Set([first, ...others]).size).toBe(1);
    await poll();
    expect(queries).toBe(1);
    await push(t.api, org, scanId, { fingerprint: crypto.randomUUID() });
    vi.setSystemTime(Date.now() + 2_100);
    const [next] = await poll();
    expect(queries).toBe(2);
    expect(next).not.toBe(first);
  });

  it('learn of a database that fails, and ask again', async () => {
    const { database } = t.services;
    let fails = true;
    const failing = {
      ...database,
      of: (of: { id: string }) => {
        if (fails) throw new Error('no database');
        return database.of(of);
      },
    };
    const revisions = createRevisions(failing, createKnownRevisions());
    await expect(revisions({ id: org.id, tables })).rejects.toThrow('no database');
    fails = false;
    expect(await revisions({ id: org.id, tables })).toBe(await current());
  });
});
