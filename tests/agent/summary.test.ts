import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  it('fails for a new finding, and not for a known one', async () => {
    const report = (count: number, severity = 'medium') =>
      agent(['report', writeReport(workspace, count), '--fail-on-new', severity]);
    expect((await report(1, 'high')).code).toBe(0);
    expect((await report(2)).code).toBe(2);
    expect((await report(2)).code).toBe(0);
    const run = await agent(['report', writeReport(workspace, 3), '--fail-on-new', 'low', '--json']);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.out)).toMatchObject({ new: 1, seen_again: 2, failing_new: 1 });
  });

  it('fails for a finding that is back after it was fixed, until a user dismisses it', async () => {
    const args = ['report', writeReport(workspace, 2), '--fail-on-new', 'medium'];
    await agent(args);
    const [{ id }] = await findings();
    await setStatus(id, 'fixed');
    const run = await agent(args);
    expect(run.code).toBe(2);
    expect(run.out).toMatch(/^regressed +1 +0 +0 +1 +0 +0$/m);
    await setStatus(id, 'false_positive');
    expect((await agent(args)).code).toBe(0);
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
