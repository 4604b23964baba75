import { beforeAll, beforeEach, expect, it } from 'vitest';
import { addProject, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});

let made = 0;
/** A finding that has nothing in common with another one, besides `fields`. */
const add = async (fields: object = {}): Promise<string> =>
  (await push(t.api, org, scanId, { title: `Title ${++made}`, file: `src/${made}.ts`, ...fields })).id;
const similarTo = async (id: string) =>
  must(await t.api.get(`/findings/${id}/similar`, org.asOwner)).map(({ id, why }: Record<string, string>) => [
    id,
    why,
  ]);

it('have the same CVE, source and title, or file, in this order, the newest first', async () => {
  const same = { cve: 'CVE-2026-1234', title: 'SQL injection', source: 'semgrep', file: 'src/search.ts' };
  const one = await add(same);
  const byFile = await add({ file: same.file });
  const byRule = await add({ title: same.title, source: same.source });
  const byCve = await add({ cve: same.cve });
  const byAll = await add(same);
  await add({ title: same.title, source: 'bandit' });
  await add({ title: same.title });
  await add({ title: `${same.title}s`, source: same.source, file: 'src/search.tsx', cve: 'CVE-2026-12345' });
  await add();
  expect(await similarTo(one)).toEqual([
    [byAll, 'cve'],
    [byCve, 'cve'],
    [byRule, 'rule'],
    [byFile, 'file'],
  ]);
});

it('have the same rule, whatever their titles', async () => {
  const rule = { rule_id: 'js/log-injection', source: 'codeql' };
  const one = await add({ ...rule, title: 'Name reaches a log' });
  const same = await add({ ...rule, title: 'Address reaches a log' });
  await add({ rule_id: 'js/log', source: 'codeql', title: 'Name reaches a log' });
  await add({ ...rule, source: 'semgrep' });
  expect(await similarTo(one)).toEqual([[same, 'rule']]);
});

it('without a source, a CVE and a file have the same title and no source', async () => {
  const bare = { title: 'Weak cipher', file: undefined };
  const one = await add(bare);
  const same = await add(bare);
  await add({ ...bare, source: 'semgrep' });
  await add({ file: undefined });
  expect(await similarTo(one)).toEqual([[same, 'rule']]);
});

it('are of all projects of the organization, and of no other', async () => {
  const one = await add({ cve: 'CVE-2026-1234' });
  const other = await addProject(t.api, org);
  const scan = await createScan(t.api, other);
  const { id, title } = await push(t.api, other, scan, { cve: 'CVE-2026-1234' });
  const foreign = await createOrg(t.api);
  await push(t.api, foreign, await createScan(t.api, foreign), { cve: 'CVE-2026-1234' });
  const [found, ...others] = must(await t.api.get(`/findings/${one}/similar`, org.asOwner));
  expect(found).toMatchObject({ id, title, project_id: other.projectId, why: 'cve' });
  expect(found).not.toHaveProperty('description');
  expect(others).toEqual([]);
  expect((await t.api.get(`/findings/${one}/similar`, foreign.asOwner)).error).toBe(
    'resource_error/not_found',
  );
  expect((await t.api.get(`/findings/${one}/similar`, org.asAgent)).error).toBe(
    'auth_error/not_authenticated',
  );
});

it('are at most 20, whatever they have in common', async () => {
  const same = { cve: 'CVE-2026-1000' };
  const one = await add(same);
  await Promise.all(Array.from({ length: 25 }, () => add(same)));
  const found = await similarTo(one);
  expect(found).toHaveLength(20);
  expect(found.map(([id]: string[]) => id)).not.toContain(one);
});

it('takes titles, sources and files that are as long as they may be', async () => {
  const long = (length: number) =>
    Array.from({ length }, (_, i) => String.fromCodePoint(0x1f400 + ((i * 7919) % 60))).join('');
  const same = { title: long(500), source: long(255), file: long(1_024) };
  const one = await add(same);
  const two = await add(same);
  await add({ ...same, title: `${long(499)}x`, file: `${long(1_023)}x` });
  expect(await similarTo(one)).toEqual([[two, 'rule']]);
});
