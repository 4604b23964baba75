import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createKilledImports } from '../../lib/fair-share/killed-imports.ts';
import { cpuMsFor } from '../../lib/node/reports/report-processes.ts';
import { ExpensiveReport, type OpenReport, type ReportReader } from '../../lib/reports/reader.ts';
import { addProject, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* An account that sends reports whose import is killed, from many organizations. */

const NO_FINDINGS: OpenReport = {
  ...{ format: 'sarif', errors: [], warnings: [], sources: [], count: 0 },
  next: async () => [],
  close() {},
};

let reading = 0;
let atOnce = 0;
const reader: ReportReader = {
  maxBytes: 64 * 1024,
  async open({ body }) {
    if (!Buffer.from(body).toString().includes('hostile')) return NO_FINDINGS;
    atOnce = Math.max(atOnce, ++reading);
    await sleep(50);
    reading--;
    throw new ExpensiveReport('The report takes more than 4 seconds of processor time to read');
  },
};

let t: TestApp;
let victim: TestOrg;

beforeAll(async () => {
  t = await startApp({ reports: reader });
  victim = await createOrg(t.api);
});
afterEach(() => {
  vi.useRealTimers();
});

const send = ({ projectId, asAgent }: TestOrg, body = 'hostile') =>
  t.api.post(`/agent/reports?project_id=${projectId}`, { ...asAgent, body });

/** Organizations of one account. */
async function createOrgs(count: number): Promise<TestOrg[]> {
  const first = await createOrg(t.api);
  const { cookie } = first.owner;
  const others = Array.from({ length: count - 1 }, async () => {
    const { id, slug } = must(await t.api.post('/orgs', { cookie, body: { name: 'Other' } }));
    return addProject(t.api, { id, slug, owner: first.owner, asOwner: { cookie, org: slug } });
  });
  return [first, ...(await Promise.all(others))];
}

describe('an account with many organizations', () => {
  it('has one report read at a time, and after one that was killed it waits in all of them', async () => {
    const [first, ...others] = await createOrgs(6);
    atOnce = 0;
    const flood = Promise.all([first as TestOrg, ...others].map((org) => send(org)));
    expect((await send(victim, 'harmless')).status).toBe(201);
    const answers = await flood;
    expect(atOnce).toBe(1);
    // Reports that wait for the permit are refused as well.
    expect(answers.map(({ status }) => status).sort()).toEqual([400, 429, 429, 429, 429, 429]);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(answer.error).toBe('rate_limit_error/exceeded');
      expect(answer.headers.get('retry-after')).toBe('10');
    }
    expect((await send(others[0] as TestOrg, 'harmless')).status).toBe(429);
    expect((await send(victim, 'harmless')).status).toBe(201);
  });

  it('waits for a preview that was killed, too', async () => {
    const [org, other] = (await createOrgs(2)) as [TestOrg, TestOrg];
    const query = `?project_id=${org.projectId}&preview=true`;
    expect((await t.api.post(`/agent/reports${query}`, { ...org.asAgent, body: 'hostile' })).status).toBe(
      400,
    );
    expect((await send(other, 'harmless')).status).toBe(429);
  });
});

describe('the wait after a killed import', () => {
  const waitOf = (imports: ReturnType<typeof createKilledImports>, id: string): number => {
    try {
      imports.require({ id });
      return 0;
    } catch (error) {
      return (error as { retryAfter: number }).retryAfter;
    }
  };

  it('doubles up to ten minutes, ends, and is forgotten after an hour', () => {
    vi.useFakeTimers();
    const imports = createKilledImports();
    const waits = Array.from({ length: 8 }, () => imports.add({ id: 'a' }) / 1_000);
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
    expect([waitOf(imports, 'a'), waitOf(imports, 'b')]).toEqual([600, 0]);
    vi.advanceTimersByTime(600_000);
    expect(waitOf(imports, 'a')).toBe(0);
    expect(imports.add({ id: 'a' })).toBe(600_000);
    vi.advanceTimersByTime(3_600_001);
    expect(imports.add({ id: 'a' })).toBe(10_000);
  });
});

describe('the processor time of a report', () => {
  it('grows with its size up to a limit', () => {
    expect([1_600, 1024 * 1024, 64 * 1024 * 1024].map((bytes) => Math.round(cpuMsFor(bytes)))).toEqual([
      4_006, 8_000, 60_000,
    ]);
  });
});
