import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCiKey } from '../../agent/delivery/ci-token.ts';
import { createWorkspace, STATE_HOME, writeReport } from '../support/agent/agent.ts';
import { type AgentProject, createAgentProject } from '../support/agent/agent-project.ts';
import { createOrg, must, type TestOrg } from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { afterSuite } from '../support/run/suite.ts';
import { freePort } from '../support/server/proc.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';
import { CI_SYSTEMS } from '../support/sso/ci.ts';
import { type Liar, startLiar } from '../support/sso/liar.ts';

/* Jobs without an API key, against a started server. One provider stands for all CI systems. */

let server: RunningServer;
let org: TestOrg;
let liar: Liar;
let project: AgentProject;
/** Programs of CI systems, which print a token and note their arguments. */
let programs: string;
let trusts: string;

const report = (env: Record<string, string | undefined>, args: string[] = []) =>
  project.agent(['report', writeReport(project.workspace, 2), ...args], { SVC_API_KEY: undefined, ...env });

const tokenOf = (claims: object, audience = server.url) => liar.jobToken({ ...claims, aud: audience });

/** The variables of a job of GitHub Actions that may get tokens. */
function githubJob(claims: object = CI_SYSTEMS.github.claims): Record<string, string> {
  const path = '/_apis/token';
  liar.lies.answer = {
    async [path](response) {
      const { searchParams } = new URL(response.req.url ?? '', liar.issuer);
      const isAllowed = response.req.headers.authorization === 'Bearer the key of the job';
      response.statusCode = isAllowed ? 200 : 403;
      const value = await tokenOf(
        { jti: crypto.randomUUID(), ...claims },
        searchParams.get('audience') ?? '',
      );
      response.end(JSON.stringify(isAllowed ? { count: 1, value } : {}));
    },
  };
  return {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${liar.issuer}${path}?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'the key of the job',
  };
}

async function trust(claims: object): Promise<string> {
  const body = { issuer: liar.issuer, claims };
  return must(await server.api.post(trusts, { ...org.asOwner, body })).id;
}

beforeAll(async () => {
  const database = await createDatabase();
  afterSuite(database.drop);
  afterSuite(stopServers);
  const port = await freePort();
  server = await startServer({
    ...{ DATABASE_URL: database.url, JWT_SECRET: 'a secret for tests only', SVC_SSO_ALLOW_HTTP: 'on' },
    // The audience of tokens.
    ...{ SVC_PORT: `${port}`, SVC_PUBLIC_URL: `http://127.0.0.1:${port}` },
  });
  org = await createOrg(server.api);
  liar = await startLiar();
});

beforeEach(async () => {
  project = await createAgentProject(server, org);
  trusts = `/projects/${project.env.SVC_PROJECT_ID}/ci-trusts`;
  programs = join(createWorkspace(), 'bin');
  mkdirSync(programs);
  liar.lies = {};
});

async function install(program: string, token: string): Promise<Record<string, string>> {
  const path = join(programs, program);
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > ${programs}/arguments\necho ${token}\n`);
  chmodSync(path, 0o755);
  return { PATH: `${programs}${delimiter}${process.env.PATH}` };
}
const argumentsOf = () => readFileSync(join(programs, 'arguments'), 'utf8').trimEnd().split('\n');

describe('a job without a key', () => {
  it('of GitHub Actions sends its findings', async () => {
    const id = await trust({ repository_id: 74, environment: 'production' });
    const { code, out, err } = await report(githubJob());
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect(out + err).not.toMatch(/svc_[0-9a-f]{32}|eyJ/);
    expect(await project.findings()).toHaveLength(2);
    const [used] = must(await server.api.get(trusts, org.asOwner));
    expect(used).toMatchObject({
      id,
      name: `${new URL(liar.issuer).host} acme/web-shop`,
      last_used: expect.any(String),
    });
  });

  it('of GitLab has its token in a variable, also for the second run of the agent', async () => {
    await trust({ project_id: 28 });
    const SVC_ID_TOKEN = await tokenOf(CI_SYSTEMS.gitlab.claims);
    for (const run of [1, 2]) expect([run, (await report({ SVC_ID_TOKEN })).code]).toEqual([run, 0]);
    expect(await project.scans()).toHaveLength(2);
    const used = must(await server.api.get('/audit?action=ci_trust.used', org.asOwner));
    expect(
      used.filter(({ actor }: { actor: { name: string } }) => actor.name.includes(' job ')),
    ).toHaveLength(1);
  });

  it('of Buildkite asks the agent of Buildkite', async () => {
    const { claims } = CI_SYSTEMS.buildkite;
    await trust({ project_id: 28 });
    // A self-managed system, because the provider of this test is none of theirs.
    const path = await install('buildkite-agent', await tokenOf({ ...claims, project_id: '28' }));
    expect((await report({ ...path, BUILDKITE: 'true' })).code).toBe(0);
    expect(argumentsOf()).toEqual([
      ...['oidc', 'request-token', '--audience', server.url],
      ...['--claim', 'organization_id', '--claim', 'pipeline_id'],
    ]);
  });

  it('of CircleCI asks the command line of CircleCI', async () => {
    await trust(CI_SYSTEMS.circleci.trusted);
    const path = await install('circleci', await tokenOf(CI_SYSTEMS.circleci.claims));
    expect((await report({ ...path, CIRCLECI: 'true' })).code).toBe(0);
    expect(argumentsOf()).toEqual(['run', 'oidc', 'get', '--claims', JSON.stringify({ aud: server.url })]);
  });

  it('gives nothing of it to the scanner', async () => {
    await trust({ repository_id: 74 });
    const names = 'ACTIONS_ID_TOKEN|SVC_ID_TOKEN|CIRCLE_OIDC|BUILDKITE_AGENT_ACCESS|svc_[0-9a-f]{32}';
    const job = { ...githubJob(), CIRCLE_OIDC_TOKEN_V2: 'x', BUILDKITE_AGENT_ACCESS_TOKEN: 'x' };
    const script = `env | grep -E '${names}' > leaked; echo '{"results":[]}'`;
    const args = ['run', '--format', 'semgrep', '--', 'sh', '-c', script];
    const { code, err } = await project.agent(args, { SVC_API_KEY: undefined, ...job });
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect(readFileSync(join(project.workspace, 'leaked'), 'utf8')).toBe('');
  });

  it('that is not trusted says what its token has', async () => {
    await trust({ repository_id: 74 });
    const { code, err } = await report(githubJob({ ...CI_SYSTEMS.github.claims, repository_id: '75' }));
    expect(code).toBe(1);
    expect(err).toContain('The token of the CI system is not accepted for this project.');
    expect(err).toContain(`aud ${server.url}, repository acme/web-shop, repository_id 75`);
    expect(await project.findings()).toEqual([]);
  });

  it('that may get no token says so', async () => {
    await trust({ repository_id: 74 });
    const job = { ...githubJob(), ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'another key' };
    const { code, err } = await report(job);
    expect(code).toBe(1);
    expect(err).toContain('GitHub Actions gave no token: it answered with status 403');
    const failing = await report({ CIRCLECI: 'true', PATH: programs });
    expect(failing.err).toContain('circleci gave no token: spawn circleci ENOENT');
    const outside = await report({});
    expect([outside.code, outside.err]).toEqual([1, expect.stringContaining('The API key is not set')]);
  });

  it('keeps its findings while the service is down', async () => {
    await trust({ repository_id: 74 });
    const { code } = await report({ ...githubJob(), SVC_BASE_URL: 'http://localhost:1' });
    expect(code).toBe(3);
    expect((await project.agent(['sync'], { SVC_API_KEY: undefined, ...githubJob() })).code).toBe(0);
    expect(await project.findings()).toHaveLength(2);
  });

  it('sends its token to no service that only the repository names', async () => {
    await trust({ repository_id: 74 });
    mkdirSync(join(project.workspace, '.svc'), { recursive: true });
    writeFileSync(join(project.workspace, '.svc/config.yml'), `reporting:\n  base_url: ${server.url}\n`);
    const stateHome = createWorkspace();
    const job = { ...githubJob(), SVC_BASE_URL: undefined, XDG_STATE_HOME: stateHome };
    const before = liar.calls.length;
    const { code, err } = await report(job);
    expect([code, err]).toEqual([1, expect.stringContaining('which you have not trusted yet')]);
    expect(liar.calls).toHaveLength(before);
    expect((await report({ ...job, SVC_TRUSTED_HOSTS: new URL(server.url).origin })).code).toBe(0);
    expect(STATE_HOME).not.toBe(stateHome);
  });
});

it('a key is used for its hour, and one that fails is asked for again', async () => {
  await trust({ repository_id: 74 });
  const id_token = await tokenOf(CI_SYSTEMS.github.claims);
  let asked = 0;
  const key = createCiKey({
    source: async () => {
      if (++asked === 1) throw new TypeError('the network is down');
      return id_token;
    },
    baseUrl: server.url,
    orgSlug: org.slug,
    project: project.env.SVC_PROJECT_ID ?? '',
  });
  await expect(key()).rejects.toThrow('the network is down');
  const [one, two] = await Promise.all([key(), key()]);
  expect(one).toMatch(/^svc_/);
  expect([two, await key(), asked]).toEqual([one, one, 2]);
});
