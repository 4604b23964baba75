import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createJournal } from '../../agent/journal/create.ts';
import { sizes } from '../../agent/scanner/spool.ts';
import { openState } from '../../agent/trust/state.ts';
import { STATE_HOME } from '../support/agent/agent.ts';
import { type AgentProject, type AgentSuite, useAgentProject } from '../support/agent/agent-project.ts';
import { ownFinding, startReporterFor } from '../support/agent/reporter.ts';
import { must } from '../support/api/api.ts';
import { startHostileService } from '../support/hostile/service.ts';

let project = {} as AgentSuite;

const normal = { ...sizes };

/** Makes every report of more than 1,000 bytes a large one, in parts of a few findings. */
const lower = () =>
  Object.assign(sizes, { memory: 500, whole: 1_000, parts: { partBytes: 700, maxBytes: 1_000_000 } });

useAgentProject((suite) => {
  project = suite;
  lower();
});

afterEach(() => {
  Object.assign(sizes, normal);
});

const COUNT = 40;

const fingerprintsAt = async ({ findings }: AgentProject) =>
  (await findings()).map(({ fingerprint }) => fingerprint).sort();

const journalsIn = (workspace: string) =>
  existsSync(join(workspace, '.svc/scans')) ? readdirSync(join(workspace, '.svc/scans')) : [];

const spooled = () => {
  const directory = join(STATE_HOME, 'svc-agent/spool');
  return existsSync(directory) ? readdirSync(directory) : [];
};

/** A report in a format that is read in parts. @returns its path */
function writeReport(dir: string, count: number, fields: (i: number) => object = () => ({})): string {
  const path = join(dir, 'report.json');
  const findings = Array.from({ length: count }, (_, i) => ({
    ...{
      title: `Something is wrong (${i}).`,
      severity: 'medium',
      description: 'd'.repeat(60),
      file: `src/file-${i}.py`,
      line: i + 1,
    },
    ...fields(i),
  }));
  writeFileSync(path, JSON.stringify({ findings }));
  return path;
}

const severe = (i: number) => (i === COUNT - 1 ? { severity: 'high' } : {});

describe('svc-agent with a large report', () => {
  it('pushes the same findings as with a small one', async () => {
    const { workspace, agent } = project;
    const report = writeReport(workspace, COUNT, severe);
    const args = ['report', report, '--fail-on-new', 'high', '--summary', 'summary.md'];
    const run = await agent(args);
    expect(run.code).toBe(2);
    expect(run.out).toMatch(/^new +40 +0 +1 +39 +0 +0$/m);
    const fingerprints = await fingerprintsAt(project);
    expect(fingerprints).toHaveLength(COUNT);
    expect(await project.scans()).toMatchObject([{ status: 'completed' }]);
    const [heading, ...items] = readFileSync(join(workspace, 'summary.md'), 'utf8').split('**New**');
    expect(heading).toContain('| new | 40 | 0 | 1 | 39 |');
    expect(items[0]?.match(/^- \w+: /gm)).toHaveLength(20);
    expect(items[0]).toContain('- 20 more');

    Object.assign(sizes, normal);
    const again = await agent(['report', report]);
    expect(again.out).toMatch(/^seen again +40 +0 +1 +39 +0 +0$/m);
    expect(await fingerprintsAt(project)).toEqual(fingerprints);
  });

  it('pushes nothing if the report is broken at its end', async () => {
    const { workspace, agent } = project;
    const report = writeReport(workspace, COUNT);
    writeFileSync(report, readFileSync(report, 'utf8').slice(0, -9));
    const run = await agent(['report', report]);
    expect(run.code).toBe(1);
    expect(run.err).toMatch(/report\.json: The JSON ends early: the report is truncated/);
    expect(run.err).not.toMatch(/RangeError|\n {4}at /);
    expect(await project.scans()).toEqual([]);
    expect(journalsIn(workspace)).toEqual([]);
  });

  it('refuses a format that cannot be read in parts, with the size and what to do', async () => {
    const { workspace, agent } = project;
    const govulncheck = readFileSync('tests/fixtures/govulncheck.jsonl');
    writeFileSync(join(workspace, 'report.json'), govulncheck);
    const run = await agent(['report', 'report.json']);
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toMatch(
      /The report has 1 MB\. Reports of govulncheck .* 256 MB\. Above 256 MB, .*: split the scan/,
    );
  });

  it('refuses a report above the limit', async () => {
    sizes.report = 5_000;
    const { workspace, agent } = project;
    const run = await agent(['report', writeReport(workspace, COUNT)]);
    expect(run.code).toBe(1);
    expect(run.err).toMatch(/report\.json: the report is larger than 1 MB/);
  });

  it('reads the stdout of a scanner from a file that is already removed', async () => {
    const { workspace, agent } = project;
    const report = writeReport(workspace, COUNT);
    const run = await agent(['run', '--', 'cat', report]);
    expect(run).toMatchObject({ code: 0 });
    expect(run.out).toMatch(/^new +40 /m);
    expect(spooled()).toEqual([]);
  });

  it('stops a scanner that writes more than the limit', async () => {
    sizes.report = 100_000;
    const run = await project.agent(['run', '--', 'yes', '{"results":']);
    expect(run.code).toBe(1);
    expect(run.err).toMatch(/the report is larger than/);
    expect(await project.scans()).toMatchObject([{ status: 'failed' }]);
  });

  it('reads a pipe', async () => {
    const { workspace, agent } = project;
    const report = writeReport(workspace, COUNT);
    const pipe = join(workspace, 'pipe');
    execFileSync('mkfifo', [pipe]);
    spawn('sh', ['-c', 'cat "$0" > "$1"', report, pipe], { stdio: 'ignore' });
    expect((await agent(['report', pipe])).out).toMatch(/^new +40 /m);
    expect(spooled()).toEqual([]);
  });

  it('reads stdin', async () => {
    const input = readFileSync(writeReport(project.workspace, COUNT), 'utf8');
    const run = await project.agentProcess(['report', '-'], {}, input);
    expect(run.out).toMatch(/^new +40 /m);
  });

  it.each([
    ['that is large only when it is unpacked', () => Object.assign(sizes, { whole: 3_000 })],
    ['that is small', () => Object.assign(sizes, normal)],
    ['that is large', lower],
  ])('reads a report in gzip %s', async (_what, setSizes) => {
    setSizes();
    const { workspace, agent } = project;
    const report = writeReport(workspace, COUNT);
    writeFileSync(report, gzipSync(readFileSync(report)));
    expect((await agent(['report', report])).out).toMatch(/^new +40 /m);
  });

  it('names a damaged report in gzip', async () => {
    const { workspace, agent } = project;
    const report = writeReport(workspace, COUNT);
    writeFileSync(report, gzipSync(readFileSync(report)).subarray(0, 300));
    const run = await agent(['report', report]);
    expect(run).toMatchObject({ code: 1 });
    expect(run.err).toMatch(/report\.json: .*gzip/);
  });

  it('prints the findings of a dry run, one JSON object per line with --json', async () => {
    const { workspace, agent } = project;
    const report = writeReport(workspace, COUNT, severe);
    const run = await agent(['report', report, '--dry-run', '--fail-on', 'high']);
    expect(run.code).toBe(2);
    expect(run.out.trim().split('\n')).toHaveLength(COUNT);
    const json = await agent(['report', report, '--dry-run', '--json']);
    expect(json.code).toBe(0);
    const findings = json.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(findings).toHaveLength(COUNT);
    expect(await project.scans()).toEqual([]);
  });

  it('reports a finding once that two reports contain', async () => {
    const { workspace, agent } = project;
    const report = writeReport(workspace, COUNT);
    const copy = join(workspace, 'copy.json');
    writeFileSync(copy, readFileSync(report));
    const run = await agent(['report', report, copy, '--json']);
    expect(JSON.parse(run.out)).toMatchObject({ total: COUNT, new: COUNT, not_delivered: 0 });
  });

  it('queues all findings while the service is unreachable, and sync delivers them', async () => {
    const { workspace, agent } = project;
    const report = writeReport(workspace, COUNT, severe);
    const run = await agent(['report', report, '--fail-on', 'high'], { SVC_BASE_URL: 'http://127.0.0.1:9' });
    expect(run.code).toBe(2);
    expect(run.err).toMatch(/40 of 40 findings not delivered/);
    expect(run.out).toMatch(/^not delivered +40 +0 +1 +39 +0 +0$/m);
    expect(await project.findings()).toEqual([]);

    const sync = await agent(['sync', '--json']);
    expect(sync.code).toBe(0);
    expect(JSON.parse(sync.out)).toMatchObject([{ delivered: COUNT, refused: 0, not_delivered: 0 }]);
    expect(await fingerprintsAt(project)).toHaveLength(COUNT);
    expect(await project.scans()).toMatchObject([{ status: 'completed' }]);
  }, 60_000);

  it('prints the first findings that the service refuses, and how many more', async () => {
    let pushes = 0;
    const service = await startHostileService(({ method, path }, response) => {
      const isPush = method === 'POST' && path.endsWith('/agent/findings');
      const result = {
        id: 'x',
        scan_id: 'x',
        project_id: project.env.SVC_PROJECT_ID,
        deduplicated: false,
        status: 'open',
      };
      const isRefused = isPush && pushes++ % 2 === 0;
      const body = isRefused
        ? {
            success: false,
            request_id: 'req_0',
            error: { code: 'validation_error', message: 'no', details: [] },
          }
        : { success: true, request_id: 'req_0', result };
      response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    const { workspace, agent } = project;
    const run = await agent(['report', writeReport(workspace, COUNT), '--json'], {
      SVC_BASE_URL: service.url,
    });
    expect(run.code).toBe(3);
    expect(JSON.parse(run.out)).toMatchObject({ total: COUNT, new: 20, refused: 20, not_delivered: 0 });
    expect(run.err.match(/the service refused “/g)).toHaveLength(5);
    expect(run.err).toContain('the service refused 15 more findings');
  });

  it('keeps only the pending findings of a scan in its outcome', async () => {
    const { env, server, org } = project;
    const reporter = startReporterFor(project, { baseUrl: env.SVC_BASE_URL ?? '' });
    reporter.expectMany();
    const outcome = await reporter.report([1, 2, 3].map((n) => ownFinding(n)));
    expect(outcome).toMatchObject({ entries: [], fresh: 3, pending: 0 });
    expect((await reporter.complete()).tally.fresh).toEqual([0, 0, 0, 3, 0]);
    expect(must(await server.api.get(`/findings?scan_id=${outcome.scanId}`, org.asOwner))).toHaveLength(3);
  });
});

it('a journal takes more findings at once than a call takes arguments', () => {
  const { workspace } = project;
  const scan = {
    scan_id: '019b0000-0000-7000-8000-000000000003',
    persona: 'senku',
    target: {},
    project: 'x',
  } as const;
  const journal = createJournal(workspace, scan, openState({ XDG_STATE_HOME: STATE_HOME }), '', () => {});
  const added = journal.add(
    Array.from({ length: 150_000 }, (_, n) => ({
      ...{ fingerprint: `own-${n}`, title: 't', severity: 'low' as const, description: 'd' },
    })),
  );
  expect(added).toHaveLength(150_000);
  expect(journal.entries).toHaveLength(150_000);
  expect(journal.entries[149_999]).toMatchObject({ n: 149_999, finding: { fingerprint: 'own-149999' } });
  journal.close();
});
