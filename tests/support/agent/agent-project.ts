import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, vi } from 'vitest';
import { destinationOf } from '../../../agent/trust/journals.ts';
import { createOrg, must, type TestOrg } from '../api/api.ts';
import { createDatabase, type TestDatabase } from '../database/database.ts';
import { afterSuite } from '../run/suite.ts';
import { type RunningServer, startServer, stopServers } from '../server/server.ts';
import { type AgentRun, createWorkspace, runAgent, STATE_HOME } from './agent.ts';
import { runAgentHere } from './agent-here.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
type Rows = any[];

/** A project with a token, and an empty directory in which svc-agent knows both. */
export interface AgentProject {
  workspace: string;
  /** The agent's environment. */
  env: Record<string, string>;
  /** Runs svc-agent to its end, in this process. */
  agent(args: string[], changed?: Record<string, string | undefined>): Promise<AgentRun>;
  /** The built one, as a process of its own. */
  agentProcess(
    args: string[],
    changed?: Record<string, string | undefined>,
    input?: string,
  ): Promise<AgentRun>;
  findings(): Promise<Rows>;
  scans(): Promise<Rows>;
}

/** A started server with a database of its own, until the suite ends, and an organization. */
export interface AgentService {
  database: TestDatabase;
  server: RunningServer;
  org: TestOrg;
}

export async function startService(): Promise<AgentService> {
  const database = await createDatabase();
  afterSuite(database.drop);
  afterSuite(stopServers);
  const server = await startServer({ DATABASE_URL: database.url, JWT_SECRET: 'a secret for tests only' });
  return { database, server, org: await createOrg(server.api) };
}

export type AgentSuite = AgentService & AgentProject;

/** Starts a service for the suite. Each test gets a project of its own. */
export function useAgentProject(onTest: (suite: AgentSuite) => unknown): void {
  let service: AgentService;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    await onTest({ ...service, ...(await createAgentProject(service.server, service.org)) });
  });
}

export async function createAgentProject({ api, url }: RunningServer, org: TestOrg): Promise<AgentProject> {
  const workspace = createWorkspace();
  const body = { name: `Project ${workspace}` };
  const project = must(await api.post('/projects', { ...org.asOwner, body }));
  const path = `/projects/${project.id}/tokens`;
  const { token } = must(await api.post(path, { ...org.asOwner, body: { name: 'ci' } }));
  const env = { SVC_BASE_URL: url, SVC_API_KEY: token, SVC_PROJECT_ID: project.id, SVC_ORG: org.slug };
  return {
    workspace,
    env,
    async agent(args, changed) {
      const options = { cwd: workspace, env: { ...env, ...changed } };
      if (args[0] === 'sync') redirectJournals(workspace, options.env);
      const run = await runAgentHere(args, options);
      if (args[0] !== 'sync') redirectJournals(workspace, { ...options.env, ...env });
      return run;
    },
    agentProcess(args, changed, input) {
      const options = { cwd: workspace, env: { ...env, ...changed } };
      if (args[0] === 'sync') redirectJournals(workspace, options.env);
      return runAgent(args, { ...options, ...(input !== undefined && { input }) });
    },
    findings: async () => must(await api.get(`/findings?project_id=${project.id}`, org.asOwner)),
    scans: async () => must(await api.get(`/scans?project_id=${project.id}`, org.asOwner)),
  };
}

/**
 * Makes the journals of a workspace ones for another address: a service that fails and one that works are at different addresses in
 * tests.
 */
function redirectJournals(workspace: string, env: Record<string, string | undefined>): void {
  const { SVC_BASE_URL: baseUrl = '', SVC_ORG: orgSlug, XDG_STATE_HOME: stateHome = STATE_HOME } = env;
  const directory = join(stateHome, 'svc-agent/journals');
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const record = JSON.parse(readFileSync(path, 'utf8'));
    const isOfWorkspace = [workspace, stateHome].some((home) => record.path.startsWith(realpathSync(home)));
    const destination = destinationOf({ baseUrl, orgSlug });
    if (isOfWorkspace && record.destination !== destination)
      writeFileSync(path, JSON.stringify({ ...record, destination }));
  }
}

/** Waits for the process id that a program writes to a file. */
export const readPid = (file: string): Promise<number> =>
  vi.waitUntil(() => existsSync(file) && Number(readFileSync(file, 'utf8')));

/** A killed process stays a zombie until its parent reads its exit code. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
