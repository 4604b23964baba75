import { ilike } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { countIds, searchFindings } from '../../db/findings/lists/search.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { FINDING_STATUSES, SEVERITIES } from '../../db/schema/values.ts';
import { indexedOrder, orderOf, SORTS } from '../../lib/findings/order.ts';
import { resultInfo } from '../../lib/http/lists/pages.ts';
import { addProject, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let otherProject: string;

const FINDINGS = 120;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  const other = await addProject(t.api, org);
  otherProject = other.projectId;
  const scans = [
    { org, id: await createScan(t.api, org) },
    { org: other, id: await createScan(t.api, other) },
  ] as const;
  // Some severities and statuses are rare, and some do not come together at all.
  for (let i = 0; i < FINDINGS; i++) {
    const severity = SEVERITIES[(i * i + (i % 7)) % (i % 11 === 0 ? 5 : 3)];
    const { org: pusher, id } = scans[i % 3 === 0 ? 1 : 0];
    const { id: finding } = await push(t.api, pusher, id, {
      severity,
      cvss_score: i % 4 ? (i * 7) % 10 : undefined,
    });
    const status = FINDING_STATUSES[i % 13];
    if (status === undefined || status === 'open') continue;
    const call = status === 'verified' ? '/agent' : '';
    const who = status === 'verified' ? pusher.asAgent : org.asOwner;
    must(await t.api.patch(`${call}/findings/${finding}`, { ...who, body: { status } }));
  }
});

const list = async (query: string) => {
  const { status, result, json } = await t.api.get(`/findings?${query}`, org.asOwner);
  expect(status).toBe(200);
  return { ids: result.map(({ id }: { id: string }) => id) as string[], info: json.result_info };
};

describe.each(SORTS.map((sort) => `sort=${sort}`))('pages with %s', (sort) => {
  it.each([
    '',
    'severity=critical',
    'severity=low,info',
    'severity=critical,high,medium,low,info',
    'status=verified',
    'status=open,fixed',
    'severity=high&status=fixed,wontfix',
    'severity=info&status=verified',
    'cwe=CWE-89',
    'q=search',
    'project',
    'project&severity=medium,critical',
    'project&status=open&severity=high',
  ])('are the whole list of %s', async (given) => {
    const filter = `${sort}&${given.replace('project', `project_id=${otherProject}`)}`;
    const { ids: whole } = await list(filter);
    for (const perPage of [7, 101]) {
      const pages: string[] = [];
      for (let page = 1; page <= Math.ceil(whole.length / perPage) + 1; page++) {
        const { ids, info } = await list(`${filter}&page=${page}&per_page=${perPage}`);
        expect(info.total).toBe(whole.length);
        pages.push(...ids);
      }
      expect(pages).toEqual(whole);
    }
  });
});

describe('a search that counts a limited number', () => {
  it.each(SORTS.filter(indexedOrder))('has the same pages with sort=%s', async (sort) => {
    const tables = defineOrgTables(orgSchemaName(org.id));
    const search = (upTo: number | undefined, limit: number, offset = 0) => {
      const order = indexedOrder(sort);
      const counted = order && upTo !== undefined ? { order, upTo } : undefined;
      const where = ilike(tables.findings.title, '%search%');
      const given = { where, order: orderOf(tables, sort), window: { limit, offset }, counted };
      return searchFindings(t.services.database.sql, tables, given, { statementMs: 10_000 });
    };
    const whole = await search(undefined, FINDINGS);
    expect(whole.total).toBe(FINDINGS);
    expect(await search(FINDINGS, FINDINGS)).toEqual(whole);
    for (const limit of [7, 100]) {
      const pages: string[] = [];
      for (let offset = 0; offset < FINDINGS; offset += limit) {
        const { total, ids } = await search(10, limit, offset);
        expect([total, countIds(ids)]).toEqual([11, Math.min(limit, FINDINGS - offset)]);
        pages.push(ids.slice(1, -1));
      }
      expect(`{${pages.join(',')}}`).toBe(whole.ids);
      expect(countIds((await search(10, limit, FINDINGS)).ids)).toBe(0);
    }
  });

  it('says so', async () => {
    const { ids, info } = await list('q=search&total=limited&per_page=7');
    expect(info).toEqual((await list('q=search&per_page=7')).info);
    expect(ids).toHaveLength(7);
    const page = { page: 3, perPage: 10, offset: 20 };
    expect(resultInfo(page, 31, { upTo: 30, isFull: true })).toEqual({
      ...{ page: 3, per_page: 10, total: 30, total_is_exact: false, total_pages: 3 },
      ...{ has_next: true, has_prev: true },
    });
    expect(resultInfo(page, 31, { upTo: 30, isFull: false }).has_next).toBe(false);
    expect(resultInfo(page, 30, { upTo: 30, isFull: true })).toEqual(resultInfo(page, 30));
  });
});
