import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReporterOptions } from '../../agent/reporter.ts';
import { type AgentSuite, useAgentProject } from '../support/agent/agent-project.ts';
import { type FaultyProxy, startProxy } from '../support/agent/proxy.ts';
import { ownFinding, startReporterFor } from '../support/agent/reporter.ts';
import { must } from '../support/api/api.ts';

/* The agent sends findings in batches. A batch that is sent twice counts once. */

let proxy: FaultyProxy;
let { server, org, workspace, env, agent, findings }: AgentSuite = {} as AgentSuite;

useAgentProject(async (suite) => {
  ({ server, org, workspace, env, agent, findings } = suite);
  proxy = await startProxy(server.url);
});

const BATCH = '/api/v1/agent/findings/batch';
const SINGLE = '/api/v1/agent/findings';

const startReporter = (changed: Partial<ReporterOptions> = {}) =>
  startReporterFor({ env, workspace }, { baseUrl: proxy.url, ...changed });

const several = (count: number, fields?: object) =>
  Array.from({ length: count }, (_, n) => ownFinding(n, fields));

const seenCounts = async (): Promise<number[]> => (await findings()).map(({ seen_count }) => seen_count);
const journalOf = (scanId: string) => join(workspace, '.svc/scans', `${scanId}.jsonl`);
const pushesTo = (path: string) => proxy.pushes.filter((push) => push.path === path);

describe('a batch', () => {
  it('whose response is lost counts once, and its findings are new', async () => {
    proxy.fault = (path, n) => (path === BATCH && n <= 2 ? 'lose' : undefined);
    const reporter = startReporter();
    await reporter.report(several(20));
    expect(await reporter.complete()).toMatchObject({
      fresh: 20,
      seenAgain: 0,
      pending: 0,
      stopped: undefined,
    });
    expect(await seenCounts()).toEqual(Array(20).fill(1));
    expect(pushesTo(BATCH)).toHaveLength(3);
    expect(new Set(pushesTo(BATCH).map(({ key, body }) => key + body)).size).toBe(1);
  });

  it('whose response is never received counts once when it is sent again later', async () => {
    proxy.fault = (path) => (path === BATCH ? 'lose' : undefined);
    const reporter = startReporter();
    expect(await reporter.report(several(20))).toMatchObject({ pending: 20 });
    await reporter.complete();
    expect((await agent(['sync'])).code).toBe(0);
    expect(await seenCounts()).toEqual(Array(20).fill(1));
  });

  it('with findings that fail is retried as a whole, until they are written', async () => {
    const failing = (answer: { result: { results: unknown[] } }) => {
      answer.result.results[1] = {
        status: 'failed',
        error: { type: 'server_error', code: 'internal', ref: 'E1', message: 'Failed.' },
      };
      return answer;
    };
    proxy.fault = (path, n) => (path === BATCH && n <= 5 ? failing : undefined);
    const reporter = startReporter();
    const outcome = await reporter.report([
      ownFinding(0),
      ownFinding(1),
      ownFinding(2, { severity: 'awful' }),
    ]);
    expect(outcome).toMatchObject({ fresh: 1, refused: 1, pending: 1 });
    expect(outcome.entries[2]?.refused).toMatch(/severity/);
    expect(pushesTo(BATCH)).toHaveLength(4);
    expect(await reporter.complete()).toMatchObject({ fresh: 2, refused: 1, pending: 0, stopped: undefined });
    expect(new Set(proxy.pushes.map(({ key, body }) => key + body)).size).toBe(1);
    expect(await seenCounts()).toEqual([1, 1]);
    expect((await agent(['sync'])).err).toBe('Nothing to deliver.\n');
  });

  it('has at most 500 findings and fits through a proxy with a limit of 1 MiB', async () => {
    const reporter = startReporter();
    await reporter.report(several(1_200));
    const sizes = pushesTo(BATCH).map(({ body }) => JSON.parse(body).findings.length);
    expect(sizes.sort()).toEqual([200, 500, 500]);
    await reporter.report(several(30, { description: 'é'.repeat(50_000) }));
    expect(await reporter.complete()).toMatchObject({ fresh: 1_200, seenAgain: 30, pending: 0 });
    for (const { body } of proxy.pushes) expect(Buffer.byteLength(body)).toBeLessThan(2 ** 20);
    expect(await findings()).toHaveLength(1_200);
  });

  it('is sent with the findings of one report each, also if reports are concurrent', async () => {
    const reporter = startReporter();
    await Promise.all(several(20).map((each) => reporter.report(each)));
    expect(await reporter.complete()).toMatchObject({ fresh: 20, pending: 0 });
    expect(pushesTo(BATCH)).toHaveLength(20);
    expect(new Set(pushesTo(BATCH).map(({ key }) => key)).size).toBe(20);
    expect(await seenCounts()).toEqual(Array(20).fill(1));
  });

  it('whose line in the journal a crash truncated is sent as another one', async () => {
    proxy.fault = (path) => (path === BATCH ? 'drop' : undefined);
    const reporter = startReporter();
    await reporter.report(several(5));
    await reporter.complete();
    const path = journalOf(reporter.scanId);
    const text = readFileSync(path, 'utf8');
    const line = text.indexOf('{"type":"batch"');
    expect(line).toBeGreaterThan(0);
    truncateSync(path, Buffer.byteLength(text.slice(0, line)) + 30);
    expect((await agent(['sync'])).code).toBe(0);
    expect(await seenCounts()).toEqual(Array(5).fill(1));
  });
});

describe('findings are pushed one by one', () => {
  it.each([
    ['a proxy limits the size of requests', 413],
    ['a firewall blocks a finding', 400],
    ['the service does not know batches', 404],
    ['the service does not know batches, but lists findings by id', 405],
  ])('if %s', async (_, status) => {
    proxy.fault = (path) => (path === BATCH ? status : undefined);
    const reporter = startReporter();
    const bad = ownFinding(3, { severity: 'awful' });
    await reporter.report([...several(3), bad]);
    const outcome = await reporter.complete();
    expect(outcome).toMatchObject({ fresh: 3, refused: 1, pending: 0, stopped: undefined });
    expect(pushesTo(SINGLE)).toHaveLength(4);
    expect(await seenCounts()).toEqual([1, 1, 1]);
  });

  it('if a proxy limits the size of one batch, while others are accepted', async () => {
    proxy.fault = (path, n) => (path === BATCH && n === 1 ? 413 : undefined);
    const reporter = startReporter();
    await reporter.report(several(20, { description: 'x'.repeat(100_000) }));
    expect(await reporter.complete()).toMatchObject({ fresh: 20, pending: 0 });
    expect(pushesTo(BATCH)).toHaveLength(3);
    expect(pushesTo(SINGLE)).toHaveLength(9);
    expect(new Set(await seenCounts())).toEqual(new Set([1]));
  });

  it('asks an older service for a batch once per run', async () => {
    proxy.fault = (path) => (path === BATCH ? 404 : undefined);
    const reporter = startReporter();
    for (let n = 0; n < 5; n++) await reporter.report(ownFinding(n));
    await reporter.complete();
    expect(pushesTo(BATCH)).toHaveLength(1);
    expect(pushesTo(SINGLE)).toHaveLength(5);
  });

  it('and not again in a batch when the rest of them is delivered later', async () => {
    proxy.fault = (path, n) => (path === BATCH ? 413 : path === SINGLE && n > 4 ? 'drop' : undefined);
    const reporter = startReporter({ concurrency: 1 });
    expect(await reporter.report(several(10))).toMatchObject({ fresh: 4, pending: 6 });
    await reporter.complete();
    expect((await agent(['sync'])).code).toBe(0);
    expect(await seenCounts()).toEqual(Array(10).fill(1));
  });

  it('if the key of the batch was used with another body', async () => {
    proxy.fault = (path) => (path === BATCH ? 'drop' : undefined);
    const reporter = startReporter();
    await reporter.report(several(3));
    await reporter.complete();
    const other = {
      ...{
        token: env.SVC_API_KEY,
        org: org.slug,
        headers: { 'idempotency-key': proxy.pushes[0]?.key ?? '' },
      },
      body: { findings: [{}] },
    };
    must(await server.api.post('/agent/findings/batch', other));
    expect((await agent(['sync'])).code).toBe(0);
    expect(await seenCounts()).toEqual([1, 1, 1]);
  });
});
