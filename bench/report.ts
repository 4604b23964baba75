import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { importReport } from '../lib/importers/index.ts';
import { createClient, createOrg, createScan, finding, type TestOrg } from '../tests/support/api/client.ts';
import { pushOf, readOf, wire } from '../tests/support/http/requests.ts';
import { MARK, newRun, type Sent, startLoad } from '../tests/support/load/load.ts';
import { type Figure, figureOf, NONE } from '../tests/support/scenario/figure.ts';
import type { Scene } from '../tests/support/scenario/scene.ts';
import { percentile } from '../tests/support/scenario/stats.ts';
import { watchLoop } from '../tests/support/server/loop-delay.ts';
import { descendantsOf, memoryOf, watchPeak } from '../tests/support/server/proc.ts';
import type { ServerProcess } from '../tests/support/server/process.ts';
import { copyFindings } from './support/copy-findings.ts';
import { findPsql } from './support/psql.ts';
import { bench, inTurns } from './support/rounds.ts';
import { sampleFields } from './support/sample.ts';
import { sarifOf } from './support/sarif.ts';

const FINDINGS = 20_000;
const COPY_SESSIONS = 4;
const MIB = 1024 * 1024;
const RSS_EVERY_MS = 25;
/** Requests of another organization meanwhile. */
const OTHERS_PER_SECOND = { read: 50, push: 25 };

const execute = promisify(execFile);

interface Round {
  ms: number;
  /** Multiples of the size of the report. */
  growth: number;
  blockedMs: number;
}

export const report = bench({
  summary: `POST /agent/reports with a SARIF report of ${FINDINGS} findings by curl, against importing the file and COPY`,
  async run(scene, { rounds }) {
    const loop = watchLoop(scene.site);
    const server = await scene.server({ env: loop.env });
    if (!(await findPsql())) scene.site.say('psql is not installed: the limit lacks COPY');
    const org = await createOrg(createClient(fetch, server.url));
    const other = await createOrg(createClient(fetch, server.url));
    const scanId = await createScan(createClient(fetch, server.url), org);
    const fields = finding(org, scanId, sampleFields(org, scanId));

    const send = async (): Promise<Round> => {
      const { file, bytes } = await newReport(scene);
      const before = await memoryOfAll(server);
      await loop.longest(server);
      const peak = watchPeak(() => memoryOfAll(server), RSS_EVERY_MS);
      const ms = await sendByCurl(server, org, file);
      const growth = (((await peak()) - before) * MIB) / bytes;
      return { ms, growth, blockedMs: await loop.longest(server) };
    };
    const limit = async (): Promise<Round> => {
      const { file } = await newReport(scene);
      const began = performance.now();
      const { findings } = importReport(await readFile(file), { directory: '/nowhere' });
      const ms = performance.now() - began;
      if (findings.length !== FINDINGS) throw new Error(`${findings.length} findings`);
      const load = { sessions: COPY_SESSIONS, batches: FINDINGS / COPY_SESSIONS / 500, rows: 500 };
      const perSecond = await copyFindings(scene, { org, scanId, fields, ...load });
      const copyMs = (FINDINGS / perSecond) * 1_000;
      scene.site.say(`    import ${ms.toFixed(0)} ms, COPY and INSERT ${copyMs.toFixed(0)} ms`);
      return { ms: ms + copyMs, growth: Number.NaN, blockedMs: Number.NaN };
    };
    const show = ({ ms, growth, blockedMs }: Round) =>
      `${ms.toFixed(0)} ms${growth ? `, ${growth.toFixed(1)} times its size, ${blockedMs.toFixed(0)} ms blocked` : ''}`;
    const measured = await inTurns<Round>(
      scene,
      rounds,
      'report',
      { ours: send, limit: (await findPsql()) ? limit : undefined },
      show,
    );
    const others = await measureOthers(server, other, rounds, async () => {
      const { file } = await newReport(scene);
      await sendByCurl(server, org, file);
    });
    const ours = { ours: measured.ours, limit: [] };
    return [
      {
        name: 'answer ms',
        ...figureOf(measured, ({ ms }) => ms),
        limitedBy: `importing the file in one process, COPY and INSERT in ${COPY_SESSIONS} sessions`,
        aim: { atMost: 2 },
      },
      {
        name: 'RSS growth, sizes of the report',
        ...figureOf(ours, ({ growth }) => growth),
        aim: { atMost: 8 },
      },
      { name: 'event loop blocked ms', ...figureOf(ours, ({ blockedMs }) => blockedMs), aim: { atMost: 50 } },
      ...others,
    ];
  },
});

async function newReport({ site }: Scene): Promise<{ file: string; bytes: number }> {
  const file = join(site.workDir, 'report.sarif');
  const content = Buffer.from(sarifOf(FINDINGS, newRun()));
  await rm(file, { force: true });
  await writeFile(file, content);
  return { file, bytes: content.byteLength };
}

/** Memory of the server and its reading processes, in MiB. */
async function memoryOfAll({ pid }: ServerProcess): Promise<number> {
  const all = [pid, ...(await descendantsOf(pid))];
  const sizes = await Promise.all(all.map(memoryOf));
  return sizes.reduce((total, size) => total + (size || 0), 0);
}

/** @returns the milliseconds from the first byte of the request to the end of the answer, as curl measures them */
async function sendByCurl({ url }: ServerProcess, org: TestOrg, file: string): Promise<number> {
  const { stdout } = await execute('curl', [
    ...['-sS', '-o', '/dev/null', '-w', '%{http_code} %{time_pretransfer} %{time_total}'],
    ...['-H', `Authorization: Bearer ${org.token}`, '-H', `X-Org-Slug: ${org.slug}`],
    ...['--data-binary', `@${file}`, `${url}/api/v1/agent/reports?project_id=${org.projectId}`],
  ]);
  const [status, start, end] = stdout.split(' ').map(Number) as [number, number, number];
  if (status !== 201) throw new Error(`the report was answered ${status}`);
  return (end - start) * 1_000;
}

type Observed = Record<'read' | 'push', Sent>;

/** The response times of another organization, with and without a report that is imported. */
async function measureOthers(
  server: ServerProcess,
  org: TestOrg,
  rounds: number,
  disturb: () => Promise<unknown>,
): Promise<Figure[]> {
  const scanId = await createScan(createClient(fetch, server.url), org);
  const request = {
    read: wire(server.url, readOf(org, '/findings?page=1&per_page=20')),
    push: wire(server.url, pushOf(org, scanId, { fingerprint: MARK })),
  };
  const observe = async (during: () => Promise<unknown>) => {
    const { stop } = startLoad({
      url: server.url,
      streams: {
        read: { requests: [request.read], status: 200, perSecond: OTHERS_PER_SECOND.read },
        push: { requests: [request.push], status: 201, perSecond: OTHERS_PER_SECOND.push },
      },
    });
    await sleep(500);
    await during();
    return await stop();
  };
  const calm: Observed[] = [];
  const disturbed: Observed[] = [];
  for (let round = 0; round < rounds; round++) {
    let ms = 0;
    disturbed.push(
      await observe(async () => {
        const began = performance.now();
        await disturb();
        ms = performance.now() - began;
      }),
    );
    calm.push(await observe(() => sleep(ms)));
  }
  const failed = [...calm, ...disturbed].flatMap((sent) =>
    Object.values(sent).flatMap(({ others }) => Object.values(others)),
  );
  return [
    ...(['read', 'push'] as const).map((kind) => ({
      name: `${kind === 'read' ? 'pages' : 'pushes'} of others meanwhile, p99 ms`,
      ...figureOf({ ours: disturbed, limit: calm }, (sent) => percentile(sent[kind].times, 0.99)),
      limitedBy: 'the same without a report',
      aim: { atMost: 2 },
    })),
    { name: 'errors of others', value: failed.reduce((total, count) => total + count, 0), aim: NONE },
  ];
}
