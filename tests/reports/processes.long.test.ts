import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterAll, describe, expect, it } from 'vitest';
import { createReportProcesses, type ReportProcesses } from '../../lib/node/reports/report-processes.ts';
import type { ReportJob } from '../../lib/reports/read.ts';
import { UnreadableReport } from '../../lib/reports/reader.ts';
import { kill } from '../support/server/proc.ts';

const MANY_MS = 60_000;
const bugs: string[] = [];
/** Sizes of reports whose process the system has ended. */
const ended: number[] = [];
const pools: ReportProcesses[] = [];

function poolWith(ms?: number): ReportProcesses {
  const cpuMs = ms === undefined ? undefined : () => ms;
  const pool = createReportProcesses({
    ...{ heapMiB: 512, cpuMs },
    onBug: (stack) => bugs.push(stack),
    onOutOfMemory: (bytes) => ended.push(bytes),
  });
  pools.push(pool);
  return pool;
}

afterAll(() => {
  for (const pool of pools) for (const pid of pool.running()) kill(pid);
});

const jobOf = (text: string): ReportJob => ({
  ...{ body: new Uint8Array(Buffer.from(text)), contentType: '', encoding: '', maxBytes: 64 * 1024 * 1024 },
});

const reportOf = (count: number) =>
  jobOf(
    JSON.stringify({
      findings: Array.from({ length: count }, (_, i) => ({ title: `Finding ${i}`, severity: 'Low' })),
    }),
  );

/** Reads a report to its end. @returns the processes that are left */
async function idAfterReading(pool: ReportProcesses, count: number): Promise<number[]> {
  const report = await pool.open(reportOf(count));
  let found = 0;
  for (;;) {
    const findings = await report.next();
    if (findings.length === 0) break;
    found += findings.length;
  }
  expect(found).toBe(count);
  report.close();
  return pool.running();
}

describe('a process that reads a report', () => {
  it('can read nothing but its own program', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'hostile-'));
    const program = join(dir, 'program');
    await mkdir(program);
    // In place of a parser that a report has taken over. The exit code tells what it was able to do.
    await writeFile(
      join(program, 'hostile.mjs'),
      `import { execFileSync } from 'node:child_process';
      import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
      import { Worker } from 'node:worker_threads';
      const attempts = [
        () => readFileSync(${JSON.stringify(join(dir, '18.password'))}),
        () => readdirSync(${JSON.stringify(dir)}),
        () => readFileSync(\`/proc/\${process.ppid}/environ\`),
        () => writeFileSync(${JSON.stringify(join(dir, 'written'))}, ''),
        () => execFileSync('cat', [${JSON.stringify(join(dir, '18.password'))}]),
        () => new Worker('', { eval: true }),
        () => { if (Object.keys(process.env).every((name) => /^(?:NODE_|__)/.test(name))) throw new Error(); },
      ];
      let code = 40;
      for (const [i, attempt] of attempts.entries()) {
        try { attempt(); code = 41 + i; } catch {}
      }
      process.exit(code);`,
    );
    await writeFile(join(dir, '18.password'), 'secret');
    const pool = createReportProcesses({
      ...{ heapMiB: 512, file: join(program, 'hostile.mjs') },
      onBug: (stack) => bugs.push(stack),
      onOutOfMemory: (bytes) => ended.push(bytes),
    });
    pools.push(pool);
    await expect(pool.open(reportOf(1))).rejects.toThrow('exited with 40');
    await rm(dir, { recursive: true });
  });

  it('is ended when it parses for too long', async () => {
    const pool = poolWith(0);
    await expect(pool.open(jobOf(`[${'[],'.repeat(1_000_000)}0]`))).rejects.toMatchObject({
      name: 'ExpensiveReport',
      refusal: { message: expect.stringContaining('more than 0 seconds of processor time') },
    });
    await expect.poll(() => pool.running()).toEqual([]);
  });

  it('is ended when it imports for too long', async () => {
    const pool = poolWith(400);
    await expect(pool.open(reportOf(50_000))).rejects.toMatchObject({
      name: 'ExpensiveReport',
      refusal: { message: expect.stringContaining('more than 0.4 seconds of processor time') },
    });
    await expect.poll(() => pool.running()).toEqual([]);
  });

  it('has its time however long it waits for a processor', async () => {
    const pool = poolWith(3_000);
    const reading = pool.open(reportOf(1_000));
    const [pid = 0] = pool.running();
    await sleep(100);
    process.kill(pid, 'SIGSTOP');
    await sleep(3_500);
    process.kill(pid, 'SIGCONT');
    const report = await reading;
    expect(report).toMatchObject({ format: 'generic-json', count: 1_000 });
    report.close();
  });

  it('that is killed while its findings are read fails the import, and not as a report that left no scan', async () => {
    const pool = poolWith(MANY_MS);
    const report = await pool.open(reportOf(5_000));
    expect(await report.next()).not.toEqual([]);
    for (const pid of pool.running()) kill(pid);
    const readAll = async () => {
      while ((await report.next()).length > 0);
    };
    const error = await readAll().catch((error) => error);
    expect(error).not.toBeInstanceOf(UnreadableReport);
    expect(error).toMatchObject({ key: 'rate_limit_error/exceeded' });
    report.close();
  });

  it('has time for the size of the unpacked report, but not of equal bytes', async () => {
    const asked: number[] = [];
    const pool = createReportProcesses({
      heapMiB: 512,
      onBug: (stack) => bugs.push(stack),
      onOutOfMemory: (bytes) => ended.push(bytes),
      cpuMs: (bytes) => {
        asked.push(bytes);
        return MANY_MS;
      },
    });
    pools.push(pool);
    const sizesOf = async ({ body, ...job }: ReportJob, encode = gzipSync) => {
      asked.length = 0;
      const sent = new Uint8Array(encode(body));
      await pool.open({ ...job, body: sent }).then(
        (report) => report.close(),
        () => {},
      );
      return { asked, sent: sent.byteLength, size: body.byteLength };
    };
    const plain = await sizesOf(reportOf(100), Buffer.from as never);
    expect(plain.asked).toEqual([plain.size, plain.size]);
    const packed = await sizesOf(reportOf(100));
    expect(packed.asked).toEqual([packed.sent, packed.size]);
    const equal = await sizesOf(jobOf(' '.repeat(4 * 1024 * 1024)));
    expect(equal.asked).toEqual([equal.sent, 200 * equal.sent]);
    const archive = await sizesOf(reportOf(100), ((body: Uint8Array) =>
      zipSync({ 'a.json': body })) as never);
    expect(archive.asked).toEqual([archive.sent, archive.size]);
  });

  it('that the system ends for lack of memory is no fault of the report, which may be sent again', async () => {
    const pool = poolWith(MANY_MS);
    const job = reportOf(50_000);
    const reading = pool.open(job).catch((error) => error);
    ended.length = 0;
    for (const pid of pool.running()) kill(pid);
    expect(await reading).toMatchObject({ key: 'rate_limit_error/exceeded', retryAfter: 30 });
    expect(ended).toEqual([job.body.byteLength]);
  });

  it('whose heap is full is the fault of the report', async () => {
    const pool = createReportProcesses({ heapMiB: 48, onBug: () => {}, onOutOfMemory: (n) => ended.push(n) });
    pools.push(pool);
    ended.length = 0;
    await expect(pool.open(reportOf(200_000))).rejects.toMatchObject({
      name: 'ExpensiveReport',
      refusal: { message: expect.stringContaining('takes more than 48 MiB of memory') },
    });
    expect(ended).toEqual([]);
  });

  it('that reads a small report is used again', async () => {
    const pool = poolWith(MANY_MS);
    const [pid] = await idAfterReading(pool, 300);
    expect(await idAfterReading(pool, 300)).toEqual([pid]);
  });

  it('that cannot start is no fault of the report', async () => {
    const pool = createReportProcesses({
      ...{ heapMiB: 64, file: '/nowhere/report-process.js' },
      onBug: () => {},
      onOutOfMemory: () => {},
    });
    const error = await pool.open(reportOf(1)).catch((error) => error);
    expect(error).not.toBeInstanceOf(UnreadableReport);
    expect(error.message).toBe('the process that reads reports exited with 1');
  });

  it('has no bug', () => expect(bugs).toEqual([]));
});
