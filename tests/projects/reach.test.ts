import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFindingPages } from '../../db/findings/lists/pages.ts';
import { SEVERITIES } from '../../db/schema/values.ts';
import { SORTS } from '../../lib/findings/order.ts';
import { pastOf } from '../findings/past.ts';
import { type Answer, addMember, must } from '../support/api/api.ts';
import { createLimited, PROJECTS, type ProjectName } from '../support/api/limited.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Limits of members whose access is limited to projects: other projects neither show nor change. */

type Limited = Awaited<ReturnType<typeof createLimited>>;

let t: TestApp;
let api: TestApp['api'];
let { orgs, scans, findings, cyd, run, assign } = {} as Limited;

const NOT_FOUND = [404, 'resource_error/not_found'];
const CONFLICT = [409, 'resource_error/conflict'];
const outcome = ({ status, error }: Answer) => [status, error];
const DAY = 86_400_000;
const org = () => orgs.mine;

beforeAll(async () => {
  t = await startApp();
  ({ api } = t);
});

beforeEach(async () => {
  ({ orgs, scans, findings, cyd, run, assign } = await createLimited(t));
});

describe('slugs', () => {
  const rename = (name: ProjectName, slug: string, as: object = cyd.as) =>
    api.patch(`/projects/${orgs[name].projectId}`, { ...as, body: { slug } });
  const read = async (slug: string) => must(await api.get(`/projects/${slug}`, org().asOwner));

  it('that other projects had stay with them, where the caller is no admin', async () => {
    const own = (await read(orgs.mine.projectId)).slug;
    for (const name of ['seen', 'hidden'] as const) {
      const { slug } = await read(orgs[name].projectId);
      must(await rename(name, `${slug}-2`, org().asOwner));
      // As for a slug that a project has.
      const [former, present] = [await rename('mine', slug), await rename('mine', `${slug}-2`)];
      expect(outcome(former)).toEqual([409, 'resource_error/already_exists']);
      expect({ ...former.json, request_id: '' }).toEqual({ ...present.json, request_id: '' });
      expect((await read(slug)).id).toBe(orgs[name].projectId);
      expect((await read(orgs.mine.projectId)).slug).toBe(own);
    }
    await assign(cyd, { mine: 'admin', seen: 'admin' });
    must(await rename('mine', 'seen'));
    expect((await read('seen')).id).toBe(orgs.mine.projectId);
    must(await rename('mine', 'hidden', org().asOwner));
    expect((await read('hidden')).id).toBe(orgs.mine.projectId);
    for (const name of ['hidden', 'seen', orgs.mine.projectId])
      expect(must(await api.get(`/projects/${name}`, cyd.as)).id).toBe(orgs.mine.projectId);
  });

  it('name the project that was checked, also while they change hands', async () => {
    /** In one transaction. */
    const move = (from: ProjectName, to: ProjectName) =>
      run(
        [
          ['moving', to],
          ['other', from],
          ['shared', to],
        ]
          .map(
            ([slug, name]) =>
              `update ORG.projects set slug = '${slug}' where id = '${orgs[name as ProjectName].projectId}'`,
          )
          .join(';'),
      );
    await run(`update ORG.projects set slug = 'shared' where id = $1`, [orgs.mine.projectId]);
    let isOver = false;
    const swapping = (async () => {
      for (let i = 0; i < 50; i++) {
        await move('mine', 'hidden');
        await move('hidden', 'mine');
      }
      isOver = true;
    })();
    const reading = Array.from({ length: 4 }, async () => {
      const ids = new Set<string | undefined>();
      while (!isOver) ids.add((await api.get('/projects/shared', cyd.as)).result?.id);
      return ids;
    });
    const seen = new Set((await Promise.all(reading)).flatMap((ids) => [...ids]));
    await swapping;
    expect([seen.has(orgs.mine.projectId), seen.has(orgs.hidden.projectId)]).toEqual([true, false]);
  });
});

describe('triage', () => {
  it('tells nothing of hidden findings by those who may be assigned', async () => {
    const dan = await addMember(api, org(), 'member');
    await assign(dan, { mine: 'viewer' });
    const assignTo = (...ids: string[]) => {
      const changes = ids.map((id) => ({ id, assignee_id: dan.id }));
      return api.patch('/findings', { ...cyd.as, body: { changes } });
    };
    const missing = crypto.randomUUID();
    const { updated, failed } = must(
      await assignTo(findings.hidden, missing, 'none', findings.seen, findings.mine),
    );
    expect(updated).toMatchObject([{ id: findings.mine }]);
    expect(failed.map(({ id, code }: { id: string; code: string }) => [id, code])).toEqual([
      [findings.hidden, 'not_found'],
      [missing, 'not_found'],
      ['none', 'not_found'],
      [findings.seen, 'denied'],
    ]);
    const body = { ids: [findings.hidden], assignee_id: dan.id };
    expect(must(await api.patch('/findings', { ...cyd.as, body })).failed).toHaveLength(1);
    await assign(dan, { seen: 'viewer' });
    const invalid = '400 validation_error/field_invalid';
    expect((await assignTo(findings.hidden, findings.mine)).refusal).toBe(`${invalid} changes.1.assignee_id`);
    // Checks that do not depend on findings are for all ids. A member of other projects only is a stranger.
    await assign(dan, { hidden: 'viewer' });
    for (const id of [findings.hidden, missing, findings.mine])
      for (const assignee_id of [crypto.randomUUID(), dan.id]) {
        const { refusal, text } = await api.patch('/findings', {
          ...cyd.as,
          body: { changes: [{ id, assignee_id }] },
        });
        expect(refusal).toBe(`${invalid} changes.0.assignee_id`);
        expect(text).toContain('is not a member of the organization');
      }
  });
});

it('a change is listed and undone only while the caller reaches all its findings', async () => {
  const change = async (...names: ProjectName[]) => {
    const body = { ids: names.map((name) => findings[name]), status: 'confirmed' };
    return must(await api.patch('/findings', { ...cyd.as, body })).change_id as string;
  };
  const undo = (id: string) => api.post(`/changes/${id}/undo`, cyd.as);
  const list = async () => {
    const { result, json } = await api.get('/changes?page=1&of=all', cyd.as);
    return [result.map((one: { id: string }) => one.id), json.result_info.total];
  };
  await assign(cyd, 'all');
  const [hidden, seen, mine] = [await change('hidden', 'mine'), await change('seen'), await change('mine')];
  must(await api.delete(`/findings/${findings.seen}`, org().asOwner));
  await assign(cyd, { mine: 'member', seen: 'viewer' });
  expect(await list()).toEqual([[mine, seen], 2]);
  expect(outcome(await undo(hidden))).toEqual(NOT_FOUND);
  must(await undo(mine));
  expect(outcome(await undo(mine))).toEqual(CONFLICT);
  await assign(cyd, { mine: 'member', hidden: 'member' });
  expect(must(await undo(hidden)).restored).toMatchObject([{ id: findings.hidden }, { id: findings.mine }]);
  await assign(cyd, {});
  expect(await list()).toEqual([[seen], 1]);
});

describe('deletions', () => {
  const remove = async (ids: string[], as = cyd.as) =>
    must(await api.post('/findings/delete', { ...as, body: { ids } })).id as string;
  const undo = (id: string) => api.post(`/deletions/${id}/undo`, cyd.as);
  const list = async () => {
    const { result, json } = await api.get('/deletions?page=1', cyd.as);
    return [result.map(({ id }: { id: string }) => id), json.result_info.total];
  };

  it('delete findings of projects where the caller is an admin', async () => {
    const id = await remove(PROJECTS.map((name) => findings[name]));
    expect(must(await api.get(`/deletions/${id}`, cyd.as))).toMatchObject({ selected: 1, findings: 1 });
    expect(must(await api.get('/findings', org().asOwner))).toHaveLength(2);
    // Without a finding, too.
    const none = await remove([findings.hidden]);
    must(await undo(none));
    expect(outcome(await undo(none))).toEqual(CONFLICT);
    expect(await list()).toEqual([[none, id], 2]);
  });

  it('are seen and undone only while the caller reaches all their projects', async () => {
    await assign(cyd, 'all');
    await run(`update ORG.scans set status = 'completed'`);
    const both = await remove([findings.mine, findings.hidden]);
    const seen = await remove([findings.seen]);
    must(await undo(seen));
    const body = { with_findings: false };
    const scan: string = must(await api.post(`/scans/${scans.mine}/delete`, { ...cyd.as, body })).id;
    const ofOwner = await remove([findings.seen], org().asOwner);
    await assign(cyd, { mine: 'admin', seen: 'admin' });
    expect(await list()).toEqual([[scan, seen], 2]);
    for (const id of [both, ofOwner]) {
      expect(outcome(await api.get(`/deletions/${id}`, cyd.as))).toEqual(NOT_FOUND);
      expect(outcome(await undo(id))).toEqual(NOT_FOUND);
    }
    await assign(cyd, { mine: 'member', hidden: 'admin' });
    expect(await list()).toEqual([[], 0]);
    expect(outcome(await undo(scan))).toEqual(NOT_FOUND);
    await assign(cyd, { mine: 'admin', hidden: 'admin' });
    must(await undo(both));
    // Deletions that do not have their projects.
    await run('update ORG.deletions set project_ids = null');
    expect(await list()).toEqual([[], 0]);
  });
});

describe('reads of several projects', () => {
  beforeEach(async () => {
    const { foundAt } = pastOf(t, org());
    for (let i = 0; i < 24; i++) {
      const name = PROJECTS[i % 3] as ProjectName;
      const fields = { severity: SEVERITIES[i % 5], title: `${name} ${i}` };
      const at = new Date(Date.now() - (i % 4) * 3 * DAY - i);
      const id = await foundAt(at, scans[name], fields, orgs[name]);
      if (i % 4 === 1)
        must(await api.patch(`/findings/${id}`, { ...org().asOwner, body: { status: 'fixed' } }));
    }
    // Also proposed ones, which are left out of the trend.
    await run(`update ORG.findings set proposed = true where severity = 'low'`);
    await run(`update ORG.finding_counts set proposed = count where severity = 'low'`);
  });

  it('read pages in the order of an index where the shares of projects are many', async () => {
    const { database, searchPermits } = t.services;
    const usual = t.services.findingPages;
    const acquire = vi.spyOn(searchPermits, 'acquire');
    const read = async (query: string, as: object = cyd.as) => {
      const { status, result, json } = await api.get(`/findings?${query}`, as);
      expect([query, status]).toEqual([query, 200]);
      return [result.map(({ id }: { id: string }) => id), json.result_info];
    };
    try {
      for (const sort of SORTS.filter((one) => /created_at|severity|priority/.test(one)))
        for (const filter of ['', '&severity=high,low', '&attention=true'])
          for (const page of ['page=2&per_page=5', 'page=1&per_page=100', 'page=9']) {
            const query = `sort=${sort}${filter}&${page}`;
            const expected = await read(query);
            acquire.mockClear();
            Object.assign(t.services, { findingPages: createFindingPages(database, { maxShared: 0 }) });
            expect([query, ...(await read(query))]).toEqual([query, ...expected]);
            const isEmpty = expected[0].length === 0;
            expect([query, acquire.mock.calls.length]).toEqual([query, isEmpty ? 0 : 1]);
            Object.assign(t.services, { findingPages: usual });
          }
      Object.assign(t.services, { findingPages: createFindingPages(database, { maxShared: 0 }) });
      acquire.mockClear();
      await read('page=1&sort=severity', org().asOwner);
      const both = `project_id=${orgs.mine.projectId},${orgs.seen.projectId}`;
      await read(`page=1&${both}`, org().asOwner);
      await read(`page=1&project_id=${orgs.mine.projectId}`);
      expect(acquire).not.toHaveBeenCalled();
    } finally {
      Object.assign(t.services, { findingPages: usual });
      acquire.mockRestore();
    }
  });

  it('count the trend as a search: the sum of the trends of the projects', async () => {
    const acquire = vi.spyOn(t.services.searchPermits, 'acquire');
    type Day = Record<string, number | string>;
    const read = async (query: string, as: object): Promise<Day[]> =>
      must(await api.get(`/dashboard/trend?${query}`, as));
    for (const days of ['1', '8', '30']) {
      const ofProjects = [];
      for (const name of ['mine', 'seen'] as const)
        ofProjects.push(await read(`days=${days}&project_id=${orgs[name].projectId}`, org().asOwner));
      expect(acquire).not.toHaveBeenCalled();
      const [first = [], second = []] = ofProjects;
      const sums = first.map((day, i) =>
        Object.fromEntries(
          Object.entries(day).map(([key, value]) => [
            key,
            typeof value === 'number' ? value + Number(second[i]?.[key]) : value,
          ]),
        ),
      );
      expect(await read(`days=${days}`, cyd.as)).toEqual(sums);
      expect(acquire).toHaveBeenCalledOnce();
      acquire.mockClear();
      expect(sums.reduce((sum, { total }) => sum + Number(total), 0)).toBeGreaterThan(0);
    }
    await read('days=30', org().asOwner);
    await read(`days=30&project_id=${orgs.mine.projectId}`, cyd.as);
    await assign(cyd, { mine: 'viewer' });
    await read('days=30', cyd.as);
    await assign(cyd, {});
    expect((await read('days=30', cyd.as)).every(({ total }) => total === 0)).toBe(true);
    expect(acquire).not.toHaveBeenCalled();
    acquire.mockRestore();
  });
});

it('findings of a deleted scan are listed by its id', async () => {
  await run(`update ORG.scans set status = 'completed'`);
  for (const name of PROJECTS)
    expect((await api.delete(`/scans/${scans[name]}`, org().asOwner)).status).toBe(204);
  const list = async (query: string) =>
    must(await api.get(`/findings?${query}`, cyd.as)).map(({ id }: { id: string }) => id);
  expect(await list(`scan_id=${scans.mine}`)).toEqual([findings.mine]);
  expect(await list(`scan_id=${scans.hidden}`)).toEqual([]);
  expect(await list(`scan_id=${scans.mine}&against=${scans.seen}&change=new`)).toEqual([]);
  expect(outcome(await api.get(`/scans/${scans.hidden}`, cyd.as))).toEqual(NOT_FOUND);
  expect(outcome(await api.delete(`/scans/${scans.seen}`, cyd.as))).toEqual(NOT_FOUND);
});
