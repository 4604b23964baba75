import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createWorkspace, writeReport } from '../support/agent/agent.ts';
import { type AgentSuite, useAgentProject } from '../support/agent/agent-project.ts';
import { must } from '../support/api/api.ts';
import { startHostileService } from '../support/hostile/service.ts';

let { server, org, workspace, env, agent, findings }: AgentSuite = {} as AgentSuite;

useAgentProject((suite) => {
  ({ server, org, workspace, env, agent, findings } = suite);
});

const setStatus = async (id: string, status: string) =>
  must(await server.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));

describe('--fail-on-new', () => {
  /** A report of so many findings of a commit, whose id is 10 characters of its letter. */
  const report = (count: number, commit: string, ...options: string[]) => {
    const file = writeReport(workspace, count);
    const id = commit.repeat(10);
    return agent(['report', file, '--fail-on-new', 'medium', '--commit', id, ...options]);
  };
  const main = ['--target-ref', 'main', '--default-ref', 'main'];
  const pull = ['--target-ref', 'feature', '--base-ref', 'main', '--default-ref', 'main'];
  const summary = () => readFileSync(join(workspace, 'summary.md'), 'utf8');

  it('fails for what the commit before does not have, each time', async () => {
    const first = await report(1, 'a', ...main);
    expect(first.code).toBe(2);
    expect(first.out).toMatch(/^medium +.+ +src\/file-0\.py:1 +no earlier scan to compare with$/m);
    expect((await report(1, 'b', ...main)).code).toBe(0);
    for (const _ of [1, 2]) {
      const run = await report(2, 'c', ...main, '--json');
      expect(run.code).toBe(2);
      const reason = 'not in the scan of commit bbbbbbb before';
      expect(JSON.parse(run.out)).toMatchObject({
        failing_new: 1,
        gate: {
          ...{ passed: false, fail_on: 'medium', total: 1 },
          base: { ref: 'main', commit: 'bbbbbbbbbb' },
          findings: [{ severity: 'medium', file: 'src/file-1.py', line: 2, reason }],
        },
      });
    }
    expect((await report(2, 'c', ...main, '--fail-on-new', 'high')).code).toBe(0);
  });

  it('fails for what the base of a pull request does not have, until a user dismisses it', async () => {
    await report(1, 'a', ...main);
    for (const commit of 'bbc') {
      const run = await report(2, commit, ...pull, '--summary', 'summary.md');
      expect(run.code).toBe(2);
      expect(run.out).toMatch(/^medium +.+ +src\/file-1\.py:2 +not on main$/m);
      expect(run.err).toContain('1 new finding with severity medium or higher');
    }
    expect(summary()).toMatch(/^- medium: `.+` in `src\/file-1\.py:2`: `not on main`$/m);
    const { id } = (await findings()).find(({ line }) => line === 2);
    await setStatus(id, 'false_positive');
    const passed = await report(2, 'c', ...pull);
    expect([passed.code, passed.out]).toEqual([0, expect.not.stringContaining('not on main')]);
  });

  it('names 100 findings, and how many more', async () => {
    const run = await report(103, 'a', ...main, '--summary', 'summary.md');
    expect(run.code).toBe(2);
    expect(run.out.match(/no earlier scan to compare with$/gm)).toHaveLength(100);
    expect(run.out).toMatch(/^3 more$/m);
    expect(run.err).toContain('103 new findings');
    expect(summary()).toContain('- 3 more');
  });

  it('does the same in a run of a scanner', async () => {
    const file = writeReport(workspace, 1);
    const other = join(workspace, 'other.json');
    writeFileSync(other, readFileSync(file, 'utf8').replaceAll('file-0', 'other'));
    const args = ['run', '--fail-on-new', 'medium', ...main];
    for (const [commit, code] of Object.entries({ a: 2, b: 0 })) {
      const run = await agent([
        ...args,
        '--commit',
        commit,
        '--report',
        'out.json',
        '--',
        'cp',
        other,
        'out.json',
      ]);
      expect(run.code).toBe(code);
    }
  });

  it('has no effect on a dry run, which says so', async () => {
    const run = await report(1, 'a', '--dry-run');
    expect(run.code).toBe(0);
    expect(run.err).toContain('--fail-on-new has no effect with --dry-run');
  });

  /** A service that takes everything, and answers for a gate with a status. */
  const withoutGate = (status: number, deduplicated: boolean) =>
    startHostileService(({ method, path }, response) => {
      if (path.includes('/gate')) return response.writeHead(status).end('{}');
      response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
      const result = { id: 'x', project_id: 'y', status: 'open', deduplicated };
      return response.end(JSON.stringify({ success: true, request_id: 'req_0', result }));
    });

  it.each<[string, number, boolean, number]>([
    ['fails for what an older service did not know', 404, false, 2],
    ['passes what an older service knew', 404, true, 0],
    ['fails for what the service did not know if the gate cannot be asked', 403, false, 2],
    ['exits with 3 if the gate cannot be asked and nothing is new', 403, true, 3],
  ])('%s, with a warning', async (_, status, isKnown, code) => {
    const service = await withoutGate(status, isKnown);
    const args = ['report', writeReport(workspace, 1), '--fail-on-new', 'medium'];
    const run = await agent(args, { SVC_BASE_URL: service.url });
    expect(run.code).toBe(code);
    expect(run.err).toContain(
      status === 404 ? 'the service is older and has no gates' : 'could not be asked',
    );
    const json = await agent([...args, '--json'], { SVC_BASE_URL: service.url });
    expect(JSON.parse(json.out)).toMatchObject({ gate: null, failing_new: isKnown ? 0 : 1 });
    expect((await agent(args.slice(0, 2), { SVC_BASE_URL: service.url })).err).not.toContain('gate');
  });

  it('counts a finding as new if the response of an older service to its first push was lost', async () => {
    let isFirst = true;
    const pushed: string[] = [];
    const service = await startHostileService(({ method, path, body }, response) => {
      const isPush = method === 'POST' && path.endsWith('/agent/findings');
      if (isPush) pushed.push(JSON.parse(body).scan_id);
      if (isPush && isFirst) {
        isFirst = false;
        return response.destroy();
      }
      response.writeHead(isPush ? 200 : 201, { 'content-type': 'application/json' });
      const result = {
        id: '019b0000-0000-7000-8000-000000000001',
        project_id: '019b0000-0000-7000-8000-000000000002',
        ...(isPush && { deduplicated: true, status: 'open', scan_id: pushed[0] }),
      };
      return response.end(JSON.stringify({ success: true, request_id: 'req_0', result }));
    });
    const args = ['report', writeReport(workspace, 1), '--fail-on-new', 'medium'];
    expect((await agent(args, { SVC_BASE_URL: service.url })).code).toBe(2);
    expect(pushed).toHaveLength(2);
  });

  it('exits with 3 if the service cannot tell what is new', async () => {
    const down = await startHostileService((_, response) => response.destroy());
    const args = ['report', writeReport(workspace, 1), '--fail-on-new', 'medium'];
    expect((await agent(args, { SVC_BASE_URL: down.url })).code).toBe(3);
  }, 30_000);
});

describe('the script for pipelines without the agent', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/ci.md'), 'utf8');
  const [, script = ''] = /```sh\n(set -eu\n[\s\S]*?)```/.exec(page) ?? [];
  const hasTools = spawnSync('sh', ['-c', 'jq --version && curl -G --url-query a=b -V']).status === 0;

  it.skipIf(!hasTools)('fails for what the base of a pull request does not have', async () => {
    const { slug } = must(await server.api.get(`/projects/${env.SVC_PROJECT_ID}`, org.asOwner));
    const send = (count: number, REF: string, BASE_REF?: string) => {
      const results = Array.from({ length: count }, (_, i) => ({
        ...{ ruleId: 'r', level: 'error', message: { text: `Problem ${i}.` } },
        locations: [
          { physicalLocation: { artifactLocation: { uri: `a${i}.js` }, region: { startLine: 1 } } },
        ],
      }));
      const runs = [{ tool: { driver: { name: 'Lint' } }, results }];
      writeFileSync(join(workspace, 'results.sarif'), JSON.stringify({ version: '2.1.0', runs }));
      const variables = { SVC_PROJECT_ID: slug, REF, BASE_REF, DEFAULT_REF: 'main', COMMIT: `${count}` };
      return promisify(execFile)('sh', ['-c', script], {
        cwd: workspace,
        env: { PATH: process.env.PATH, ...env, ...variables },
      }).then(
        ({ stdout }) => [0, stdout],
        ({ code, stdout, stderr }) => [code, stdout + stderr],
      );
    };
    expect(await send(1, 'main')).toEqual([
      1,
      expect.stringContaining('1 new findings, compared with nothing'),
    ]);
    expect(await send(1, 'feature', 'main')).toEqual([0, '0 new findings, compared with main\n']);
    for (const _ of [1, 2])
      expect(await send(2, 'feature', 'main')).toEqual([
        1,
        expect.stringMatching(/^1 new .+ main\nhigh\t.+\ta1\.js\n$/),
      ]);
  });
});

describe('findings that are gone', () => {
  it('are counted, unless the scanner reported errors', async () => {
    await agent(['report', writeReport(workspace, 5)]);
    const report = writeReport(workspace, 2);
    const content = JSON.parse(readFileSync(report, 'utf8'));
    writeFileSync(report, JSON.stringify({ ...content, errors: [{ filename: 'a.py', reason: 'syntax' }] }));
    const incomplete = await agent(['report', report, '--name', 'Incomplete', '--target-path', 'x']);
    expect(incomplete.out).not.toContain('gone');
    const run = await agent(['report', writeReport(workspace, 2), '--summary', 'summary.md']);
    expect(run.out).toMatch(/^gone +3$/m);
    expect(readFileSync(join(workspace, 'summary.md'), 'utf8')).toContain('| gone | 3 |');
    const again = await agent(['report', writeReport(workspace, 2), '--json']);
    expect(JSON.parse(again.out)).toMatchObject({ gone: 0, seen_again: 2 });
  });

  it('are unknown to an older service', async () => {
    const service = await startHostileService(({ method, path }, response) => {
      if (path.includes('/gone')) return response.writeHead(404).end('{}');
      response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
      const result = { id: 'x', project_id: 'y', status: 'open', deduplicated: false };
      return response.end(JSON.stringify({ success: true, request_id: 'req_0', result }));
    });
    const run = await agent(['report', writeReport(workspace, 1), '--json'], { SVC_BASE_URL: service.url });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.out).gone).toBeNull();
    expect(service.requests.some(({ path }) => path.includes('/gone?source=bandit'))).toBe(true);
  });
});

describe('--summary', () => {
  const summary = () => readFileSync(join(workspace, 'summary.md'), 'utf8');

  it('appends counts, new findings and the link to the scan', async () => {
    writeFileSync(join(workspace, 'summary.md'), '# Before\n\n');
    const args = ['report', writeReport(workspace, 25), '--summary', 'summary.md', '--name', 'Nightly'];
    await agent(args);
    const text = summary();
    expect(text).toMatch(/^# Before\n\n## Security findings: `Nightly`\n/);
    expect(text).toContain('| new | 25 | 0 | 0 | 25 | 0 | 0 |');
    expect(text).toContain('- medium: `B101 assert_used: Something is wrong (0).` in `src/file-0.py:1`\n');
    expect(text.match(/^- medium/gm)).toHaveLength(20);
    expect(text).toContain('- 5 more\n');
    expect(text).toMatch(
      new RegExp(`\\[Open the scan\\]\\(<${server.url}/o/${org.slug}/scans/[-0-9a-f]{36}>\\)`),
    );
    await agent(args);
    expect(summary().slice(text.length)).toContain('| seen again | 25 |');
    expect(summary().slice(text.length)).not.toContain('- medium');
  });

  it('contains the errors of the scanner, also if there is no report', async () => {
    const report = writeReport(workspace, 1);
    const content = JSON.parse(readFileSync(report, 'utf8'));
    writeFileSync(report, JSON.stringify({ ...content, errors: [{ filename: 'a.py', reason: 'syntax' }] }));
    await agent(['report', report, '--summary', 'summary.md']);
    expect(summary()).toContain('The findings are incomplete');
    expect(summary()).toContain('a.py was not checked: syntax');
    await agent(['run', '--summary', 'summary.md', '--', 'sh', '-c', 'exit 3']);
    expect(summary()).toContain('The scanner failed and has no results.');
    expect(summary()).toContain('`sh wrote no report (exit code 3)`');
  });

  it('shows text from reports as code, without Markdown, HTML, mentions and control characters', async () => {
    const attack =
      '`</code>` <img src=x onerror=alert(1)> [x](javascript:1) @everyone | **x** \x1b[2J\u202e\n## Heading\n::error::x';
    const report = writeReport(workspace, 1, () => ({ issue_text: attack, filename: `src/${attack}.py` }));
    await agent(['report', report, '--summary', 'summary.md', '--name', attack]);
    const outsideCode = summary().replace(/(`+)[^\n]*?[^`\n]\1(?!`)/g, 'CODE');
    expect(outsideCode).toContain('- medium: CODE in CODE');
    for (const part of ['<img', 'javascript', '@everyone', '**x**', 'Heading', '::error', '\x1b', '\u202e'])
      expect(outsideCode).not.toContain(part);
    expect(summary().match(/^## /gm)).toHaveLength(1);
  });

  it('never contains the API key, and stays small', async () => {
    const key = env.SVC_API_KEY ?? '';
    const report = writeReport(workspace, 50, (i) => ({
      issue_text: `${key} ${i} ${'long '.repeat(5_000)}`,
    }));
    await agent(['report', report, '--summary', 'summary.md', '--name', key]);
    expect(summary()).not.toContain(key);
    expect(summary().length).toBeLessThan(20_000);
  });

  it('does not follow a link, and does not fail the scan', async () => {
    const target = join(createWorkspace(), '.bashrc');
    writeFileSync(target, 'original');
    symlinkSync(target, join(workspace, 'summary.md'));
    const args = ['report', writeReport(workspace, 1), '--summary', 'summary.md'];
    const run = await agent(args);
    expect([run.code, run.err]).toEqual([0, expect.stringContaining('it is a symbolic link')]);
    expect(readFileSync(target, 'utf8')).toBe('original');
    mkdirSync(join(workspace, 'folder'));
    const folder = await agent([...args.slice(0, -1), 'folder']);
    expect([folder.code, folder.err]).toEqual([0, expect.stringContaining('cannot be written to folder')]);
  });
});

describe('--explain', () => {
  const main = ['--target-ref', 'main', '--default-ref', 'main', '--commit', 'aaaa'];
  const pull = ['--target-ref', 'feature', '--base-ref', 'main', '--default-ref', 'main'];
  const scans = async () => must(await server.api.get('/scans', org.asOwner));

  it('prints for each finding what the service would do, and stores nothing', async () => {
    must(
      await server.api.patch(`/projects/${env.SVC_PROJECT_ID}`, {
        ...org.asOwner,
        body: { close_after_scans: 1 },
      }),
    );
    await agent(['report', writeReport(workspace, 3), ...main]);
    const [before, known] = [await scans(), await findings()];
    const explain = ['report', writeReport(workspace, 4), '--explain', ...pull];
    const run = await agent([...explain, '--fail-on-new', 'medium']);
    expect(run.code).toBe(2);
    expect(run.out).toMatch(/^medium +.+ +src\/file-3\.py:4 +new, would fail the gate: not on main$/m);
    expect(run.out).toMatch(/^medium +.+ +src\/file-0\.py:1 +seen again \(same fingerprint\), open$/m);
    expect(run.out).toContain(
      '1 new, 3 seen again, 0 regressed, 0 gone, 0 would close, 1 would fail the gate (medium). Nothing was stored.',
    );
    expect((await agent(explain)).code).toBe(0);
    expect((await agent([...explain, '--fail-on', 'medium'])).code).toBe(2);
    expect((await agent([...explain, '--fail-on', 'high'])).code).toBe(0);
    const less = await agent(['report', writeReport(workspace, 2), '--explain', ...main, '--json']);
    expect(JSON.parse(less.out)).toMatchObject({
      ...{ new: 0, again: 2, gone: 1, would_close: 1, status: 'completed' },
      closing: [{ file: 'src/file-2.py', status: 'open' }],
    });
    expect([await scans(), await findings()]).toEqual([before, known]);
  });

  it('reads several reports, and takes reports about different things apart', async () => {
    const report = writeReport(workspace, 2);
    const other = join(workspace, 'other.json');
    writeFileSync(other, readFileSync(report, 'utf8').replaceAll('B101', 'B102'));
    const before = await scans();
    const run = await agent(['report', report, other, '--explain', '--json']);
    expect(JSON.parse(run.out)).toMatchObject({ new: 4 });
    const trivy = (image: string) => {
      const file = join(workspace, `${image}.json`);
      const result = { SchemaVersion: 2, ArtifactName: image, ArtifactType: 'container_image', Results: [] };
      writeFileSync(file, JSON.stringify(result));
      return file;
    };
    const both = await agent(['report', trivy('web'), trivy('api'), '--explain', '--json']);
    expect(both.out.trim().split('\n')).toHaveLength(2);
    expect(await scans()).toEqual(before);
  });

  it('is refused with --dry-run, and by an older service', async () => {
    const explain = ['report', writeReport(workspace, 1), '--explain'];
    const both = await agent([...explain, '--dry-run']);
    expect([both.code, both.err]).toEqual([1, expect.stringContaining('use one of them')]);
    // It knows neither the parameter nor a report of one character.
    const older = await startHostileService((_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      const error = {
        type: 'validation_error',
        code: 'invalid_body',
        details: [{ field: 'body', message: '-' }],
      };
      response.end(JSON.stringify({ success: false, errors: [error] }));
    });
    const run = await agent(explain, { SVC_BASE_URL: older.url });
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('The service is older')]);
  });
});
