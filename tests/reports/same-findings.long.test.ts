import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '../support/agent/agent.ts';
import { runAgentHere } from '../support/agent/agent-here.ts';
import { createOrg, must, type TestOrg } from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { afterSuite } from '../support/run/suite.ts';
import { type RunningServer, startServer } from '../support/server/server.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const REPORTS = readdirSync(FIXTURES).filter((name) => /\.(json|jsonl|sarif|xml)$/.test(name));

/** Fields that differ between two imports of the same report. */
const OWN = /^(id|project_id|scan_id|last_scan_id|name|.*_at)$/;

const shared = (rows: Record<string, unknown>[]) =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !OWN.test(name))));

let server: RunningServer;
let org: TestOrg;

beforeAll(async () => {
  const database = await createDatabase();
  server = await startServer({ DATABASE_URL: database.url, JWT_SECRET: 'a secret for imports of reports' });
  afterSuite(async () => {
    await server.stop();
    await database.drop();
  });
  org = await createOrg(server.api);
});

interface Project {
  id: string;
  token: string;
}

async function createProject(name: string): Promise<Project> {
  const { id } = must(await server.api.post('/projects', { ...org.asOwner, body: { name } }));
  const body = { name: 'ci' };
  const { token } = must(await server.api.post(`/projects/${id}/tokens`, { ...org.asOwner, body }));
  return { id, token };
}

async function stateOf({ id }: Project) {
  const findings = must(await server.api.get(`/findings?project_id=${id}`, org.asOwner));
  const scans = must(await server.api.get(`/scans?project_id=${id}`, org.asOwner));
  const byFingerprint = (a: { fingerprint: string }, b: { fingerprint: string }) =>
    a.fingerprint < b.fingerprint ? -1 : 1;
  return { findings: shared(findings.toSorted(byFingerprint)), scans: shared(scans) };
}

const sendWithToken = ({ id, token }: Project, file: string) =>
  server.api.post(`/agent/reports?project_id=${id}`, {
    ...{ token, org: org.slug, body: readFileSync(file) },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

function upload({ id }: Project, file: string) {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(readFileSync(file))], 'report'));
  return server.api.post(`/projects/${id}/reports`, { ...org.asOwner, body: form });
}

const sendWithAgent = ({ id, token }: Project, file: string) =>
  runAgentHere(['report', file], {
    cwd: createWorkspace(),
    env: { SVC_BASE_URL: server.url, SVC_ORG: org.slug, SVC_PROJECT_ID: id, SVC_API_KEY: token },
  });

describe('a report', () => {
  it('is among the fixtures', () => expect(REPORTS.length).toBeGreaterThan(10));

  it.each(REPORTS)(
    '%s gives the same findings and scan by curl, by upload and by svc-agent',
    async (name) => {
      const file = join(FIXTURES, name);
      const [byCurl, byUpload, byAgent] = [
        await createProject(`${name} by curl`),
        await createProject(`${name} by upload`),
        await createProject(`${name} by svc-agent`),
      ];
      const [curl, web] = [must(await sendWithToken(byCurl, file)), must(await upload(byUpload, file))];
      await sendWithAgent(byAgent, file);
      const expected = await stateOf(byCurl);
      expect(expected.scans).toHaveLength(1);
      expect(expected.findings).toHaveLength(curl.changes.new);
      expect(web.changes).toEqual(curl.changes);
      expect(await stateOf(byUpload)).toEqual(expected);
      expect(await stateOf(byAgent)).toEqual(expected);
    },
  );

  it('that svc-agent sent is comparable with one that is uploaded', async () => {
    const project = await createProject('Both ways');
    const file = join(createWorkspace(), 'report.json');
    const reportOf = (...titles: string[]) =>
      JSON.stringify({ findings: titles.map((title) => ({ title, severity: 'High' })) });
    writeFileSync(file, reportOf('A', 'B'));
    await sendWithAgent(project, file);
    writeFileSync(file, reportOf('B', 'C'));
    const { changes } = must(await upload(project, file));
    expect(changes).toEqual({ new: 1, again: 1, gone: 1, regressed: 0 });
  });

  it('is comparable with a scan that an older svc-agent registered with an empty target', async () => {
    const project = await createProject('Older agent');
    const [agent, scan_id] = [{ token: project.token, org: org.slug }, 'older'];
    const body = { scan_id, project_id: project.id, persona: 'sharingan', target: {} };
    must(await server.api.post('/agent/scans', { ...agent, body }));
    const finding = { scan_id, project_id: project.id, fingerprint: 'old', title: 'Old', severity: 'low' };
    const description = 'Old.';
    must(
      await server.api.post('/agent/findings', {
        ...agent,
        body: { ...finding, description, source: 'generic-json' },
      }),
    );
    must(await server.api.patch(`/agent/scans/${scan_id}`, { ...agent, body: { status: 'completed' } }));
    const report = Buffer.from('{"findings":[{"title":"New","severity":"High"}]}');
    const { changes } = must(
      await server.api.post(`/projects/${project.id}/reports`, { ...org.asOwner, body: report }),
    );
    expect(changes).toEqual({ new: 1, again: 0, gone: 1, regressed: 0 });
  });
});
