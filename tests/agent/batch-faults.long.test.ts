import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ReporterOptions } from '../../agent/reporter.ts';
import { openDatabase } from '../../db/client.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { startAgent, writeReport } from '../support/agent/agent.ts';
import { type AgentSuite, useAgentProject } from '../support/agent/agent-project.ts';
import { type Fault, type FaultyProxy, startProxy } from '../support/agent/proxy.ts';
import { ownFinding, startReporterFor } from '../support/agent/reporter.ts';

/* Whatever the service answers to a batch, and whenever the agent is killed: each finding arrives, and counts once. */

let proxy: FaultyProxy;
let { database, server, org, workspace, env, agent, findings, scans }: AgentSuite = {} as AgentSuite;

useAgentProject(async (suite) => {
  ({ database, server, org, workspace, env, agent, findings, scans } = suite);
  proxy = await startProxy(server.url);
});

const BATCH = '/api/v1/agent/findings/batch';
const SCANS = '/api/v1/agent/scans';
const onBatch =
  (fault: Fault) =>
  (path: string): Fault =>
    path === BATCH ? fault : undefined;

const startReporter = (changed: Partial<ReporterOptions> = {}) =>
  startReporterFor({ env, workspace }, { baseUrl: proxy.url, ...changed });

const several = (count: number) => Array.from({ length: count }, (_, n) => ownFinding(n));

const seenCounts = async (): Promise<number[]> => (await findings()).map(({ seen_count }) => seen_count);
const journalOf = (scanId: string) => join(workspace, '.svc/scans', `${scanId}.jsonl`);

describe('svc-agent, killed', () => {
  const COUNT = 1_200;

  it.each<[when: string, status: string, waiting: number, fault: FaultyProxy['fault']]>([
    ['before its scan is registered', 'failed', 1, (path) => (path === SCANS ? 'stall' : undefined)],
    [
      'before it knows that its scan is registered',
      'failed',
      1,
      (path) => (path === SCANS ? 'hold' : undefined),
    ],
    ['before the service has the batches', 'failed', 3, onBatch('stall')],
    [
      'after one batch of three, while the service has the second',
      'failed',
      2,
      (path, n) => (path === BATCH && n > 1 ? (n === 2 ? 'hold' : 'stall') : undefined),
    ],
    ['after all batches', 'failed', 3, onBatch('hold')],
    ['before its scan ends', 'completed', 1, (path) => (path.startsWith(`${SCANS}/`) ? 'stall' : undefined)],
  ])('%s, leaves findings that sync delivers once', async (_, status, waiting, fault) => {
    proxy.fault = fault;
    const { child, ended } = startAgent(['report', writeReport(workspace, COUNT)], {
      cwd: workspace,
      env: { ...env, SVC_BASE_URL: proxy.url },
    });
    await vi.waitUntil(() => proxy.waiting === waiting, { timeout: 30_000 });
    child.kill('SIGKILL');
    await ended;
    const run = await agent(['sync', '--json']);
    expect([run.code, run.err]).toEqual([0, '']);
    expect(await findings()).toHaveLength(COUNT);
    expect(new Set(await seenCounts())).toEqual(new Set([1]));
    const delivered = (await scans()).filter(
      ({ summary }: { summary: { total: number } }) => summary.total > 0,
    );
    expect(delivered).toMatchObject([{ status, summary: { total: COUNT } }]);
    expect((await agent(['sync'])).err).toBe('Nothing to deliver.\n');
  });

  it('and started again after 24 hours, counts the sightings of its last batch twice, but creates nothing twice', async () => {
    proxy.fault = onBatch('hold');
    const { child, ended } = startAgent(['report', writeReport(workspace, 20)], {
      cwd: workspace,
      env: { ...env, SVC_BASE_URL: proxy.url },
    });
    await vi.waitUntil(() => proxy.waiting === 1, { timeout: 30_000 });
    child.kill('SIGKILL');
    await ended;
    const admin = openDatabase({ url: database.url, max: 1 });
    await admin.sql.unsafe(
      `update "${orgSchemaName(org.id)}".idempotency_keys set created_at = created_at - interval '25 hours'`,
    );
    await admin.close();
    expect((await agent(['sync'])).code).toBe(0);
    expect(await seenCounts()).toEqual(Array(20).fill(2));
    expect((await scans())[0]).toMatchObject({ finding_count: 20, summary: { total: 20 } });
  });

  it('while it writes the results of a batch, sends the batch again', async () => {
    proxy.fault = (path) => (path.startsWith(`${SCANS}/`) ? 'drop' : undefined);
    const reporter = startReporter();
    await reporter.report(several(5));
    await reporter.complete();
    const path = journalOf(reporter.scanId);
    const text = readFileSync(path, 'utf8');
    const line = text.indexOf('{"type":"results"');
    expect(line).toBeGreaterThan(0);
    truncateSync(path, Buffer.byteLength(text.slice(0, line)) + 100);
    proxy.fault = () => undefined;
    const run = await agent(['sync', '--json'], { SVC_BASE_URL: proxy.url });
    expect(JSON.parse(run.out)).toMatchObject([{ delivered: 5, not_delivered: 0 }]);
    expect(new Set(proxy.pushes.map(({ key, body }) => key + body)).size).toBe(1);
    expect(await seenCounts()).toEqual(Array(5).fill(1));
  });
});

it('a journal of an earlier release, with a line for each result, is read', async () => {
  proxy.fault = (path) => (path.startsWith(`${SCANS}/`) ? 'drop' : undefined);
  const reporter = startReporter();
  await reporter.report(several(5));
  await reporter.complete();
  const path = journalOf(reporter.scanId);
  const lines = readFileSync(path, 'utf8').split('\n');
  const results = lines.find((line) => line.startsWith('{"type":"results"')) ?? '';
  writeFileSync(path, lines.filter((line) => line !== results).join('\n'));
  for (const each of JSON.parse(results).delivered)
    appendFileSync(path, `${JSON.stringify({ type: 'delivered', ...each })}\n`);
  const run = await agent(['sync', '--accept-journal', path, '--json']);
  expect(JSON.parse(run.out)).toMatchObject([{ delivered: 0, not_delivered: 0 }]);
  expect(await seenCounts()).toEqual(Array(5).fill(1));
});

describe('an answer to a batch', () => {
  type Results = Record<string, unknown>[];
  const changed = (change: (results: Results) => unknown): Fault =>
    onBatch((answer) => ({
      ...answer,
      result: { ...answer.result, results: change(answer.result.results) },
    }))(BATCH);
  const withSecond = (item: unknown) => changed(([first, _, ...others]) => [first, item, ...others]);
  const NEITHER = 'The service answered a finding of a batch with neither an id nor an error.';
  const HTML = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' };

  it.each<[what: string, Fault, message: string]>([
    [
      'with fewer results than findings',
      changed((results) => results.slice(1)),
      'The service answered 2 of 3 findings of a batch.',
    ],
    [
      'with more results',
      changed((results) => [...results, results[0]]),
      'The service answered 4 of 3 findings of a batch.',
    ],
    ['with a result without an id', withSecond({ status: 'created', regressed: false }), NEITHER],
    ['with an id that is no text', withSecond({ status: 'created', id: 7, regressed: false }), NEITHER],
    ['with a result of an unknown kind', withSecond({ status: 'ok', id: 'x' }), NEITHER],
    ['with an error that is missing', withSecond({ status: 'failed' }), NEITHER],
    ['with null among the results', withSecond(null), NEITHER],
    ['with a huge id', withSecond({ status: 'created', id: 'A'.repeat(5_000_000) }), NEITHER],
    [
      'with a status that is no text',
      withSecond({ status: 'created', id: 'x', finding_status: {} }),
      NEITHER,
    ],
    [
      'with status 200 that is a page',
      HTML,
      'a response with status 200 is not from the service: a proxy or a login page may have answered',
    ],
    ['with status 401', 401, 'The service answered 401.'],
  ])('%s marks nothing as delivered, and sync delivers it once', async (_, fault, message) => {
    proxy.fault = onBatch(fault);
    const reporter = startReporter();
    const outcome = await reporter.report(several(3));
    expect(outcome).toMatchObject({ fresh: 0, pending: 3, stopped: { reason: 'not_accepted', message } });
    expect(await reporter.complete()).toMatchObject({ pending: 3 });
    expect(proxy.pushes).toHaveLength(1);
    expect(readFileSync(journalOf(reporter.scanId), 'utf8')).not.toContain('"type":"results"');
    const run = await agent(['sync', '--json']);
    expect(JSON.parse(run.out)).toMatchObject([{ delivered: 3, not_delivered: 0 }]);
    expect(await seenCounts()).toEqual([1, 1, 1]);
  });

  it.each<[what: string, error: unknown]>([
    ['huge', { type: 'validation_error', message: 'A'.repeat(5_000_000) }],
    [
      'no text',
      { type: 'validation_error', message: { toString: 1 }, details: [7, { field: {}, message: [] }] },
    ],
  ])('with an error that is %s keeps the other results, and the journal small', async (_, error) => {
    proxy.fault = onBatch(withSecond({ status: 'failed', error }));
    const reporter = startReporter();
    expect(await reporter.report(several(3))).toMatchObject({ fresh: 2, refused: 1, pending: 0 });
    await reporter.complete();
    expect(readFileSync(journalOf(reporter.scanId), 'utf8').length).toBeLessThan(10_000);
  });

  it.each(['__proto__', 'constructor'])('with an error of the type %s is tried again later', async (type) => {
    proxy.fault = onBatch(withSecond({ status: 'failed', error: { type, message: 'Broken.' } }));
    expect(await startReporter().report(several(3))).toMatchObject({
      ...{ fresh: 2, pending: 1, stopped: undefined },
    });
    expect(proxy.pushes).toHaveLength(4);
  });

  it.each<[what: string, Fault]>([
    ['that is cut off', 'cut'],
    ['with status 429', { status: 429, headers: { 'retry-after': '0' } }],
    ['with status 503', 503],
  ])('%s is asked for again with the same key', async (_, fault) => {
    proxy.fault = (path, n) => (path === BATCH && n <= 2 ? fault : undefined);
    const reporter = startReporter();
    expect(await reporter.report(several(3))).toMatchObject({ fresh: 3, pending: 0, stopped: undefined });
    expect(proxy.pushes).toHaveLength(3);
    expect(new Set(proxy.pushes.map(({ key, body }) => key + body)).size).toBe(1);
    expect(await seenCounts()).toEqual([1, 1, 1]);
  });

  it('with a long Retry-After stops the delivery at once', async () => {
    proxy.fault = onBatch({ status: 503, headers: { 'retry-after': '3600' } });
    const outcome = await startReporter().report(several(3));
    expect(outcome).toMatchObject({
      pending: 3,
      stopped: { reason: 'unreachable', message: 'the service responded with status 503' },
    });
    expect(proxy.pushes).toHaveLength(1);
  });

  it('in another order loses nothing', async () => {
    proxy.fault = onBatch(changed((results) => results.toReversed()));
    const reporter = startReporter();
    await reporter.report(several(3));
    expect(await reporter.complete()).toMatchObject({ fresh: 3, pending: 0 });
    expect(await seenCounts()).toEqual([1, 1, 1]);
  });

  describe('that never comes', () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it('is waited for 30 seconds', async () => {
      proxy.fault = (path, n) => (path === BATCH && n === 1 ? 'hold' : undefined);
      const reporter = startReporter({ retryDelays: [] });
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      const reporting = reporter.report(several(3));
      await vi.waitUntil(() => proxy.waiting === 1);
      vi.advanceTimersByTime(30_000);
      expect((await reporting).stopped?.message).toBe(
        'the service cannot be reached (the service did not respond within 30 s)',
      );
      vi.useRealTimers();
      expect(await reporter.complete()).toMatchObject({ fresh: 3, pending: 0, stopped: undefined });
      expect(await seenCounts()).toEqual([1, 1, 1]);
    });
  });
});
