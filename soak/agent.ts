import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import { startAgent, writeReport } from '../tests/support/agent/agent.ts';
import { type Gate, openGate } from '../tests/support/agent/gate.ts';
import { type Api, createClient, createOrg, must, type TestOrg } from '../tests/support/api/client.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { type Scene, scenario } from '../tests/support/scenario/scene.ts';
import { sum } from '../tests/support/scenario/stats.ts';

/** The findings that svc-agent sends in one request. */
const BATCH = 500;
/** A batch takes some tens of milliseconds, so that this is any moment of one. */
const MAX_PAUSE_MS = 100;

/** A fault during a delivery, and the expected outcome. */
interface Kind {
  name: string;
  /** Sent to the agent. Without one, the service gets SIGKILL. */
  signal?: NodeJS.Signals;
  /** When the service is started again. */
  returns?: 'at once' | 'before sync';
  /** Exit code of `svc-agent report`. */
  code: number | null;
  /** The status of the scan after `svc-agent sync`. */
  status: string;
}

const KINDS: readonly Kind[] = [
  { name: 'agent gets SIGINT', signal: 'SIGINT', code: 130, status: 'failed' },
  { name: 'agent gets SIGTERM', signal: 'SIGTERM', code: 143, status: 'failed' },
  { name: 'agent gets SIGKILL', signal: 'SIGKILL', code: null, status: 'failed' },
  { name: 'service is killed and comes back', returns: 'at once', code: 0, status: 'completed' },
  { name: 'service is killed and stays away', returns: 'before sync', code: 3, status: 'completed' },
];

interface Outcome {
  /** Findings of the report that are missing in the database after `sync`, or stored twice. */
  missing: number;
  twice: number;
  /** Sightings of findings beyond the first one. */
  again: number;
  /** Wrong exit codes and states. */
  unexpected: string[];
}

export const agent = scenario({
  summary:
    'signals to svc-agent, and kill -9 of it or of the service, at random moments of a delivery: nothing is lost or twice',
  options: { rounds: 20, findings: 20_000 },
  minutes: 30,
  async run(scene, { rounds, findings }): Promise<Figure[]> {
    const { sql } = await scene.database();
    let server = await scene.server();
    const gate = await openGate(server.url);
    const api = createClient(fetch, gate.url);
    const org = await createOrg(api);
    const restart = async () => {
      server = await scene.server();
      gate.lead(server.url);
    };
    const seen: Outcome[] = [];
    for (let round = 0; round < rounds; round++) {
      const kind = KINDS[round % KINDS.length] as Kind;
      const project = await createProject(scene, api, org);
      const began = performance.now();
      const after = await interrupt({
        kind,
        project,
        gate,
        findings,
        kill: () => server.signal('SIGKILL'),
        restart,
      });
      const { rows, prints, sightings } = (
        await sql.unsafe<{ rows: number; prints: number; sightings: number }[]>(
          `select count(*)::int as rows, count(distinct fingerprint)::int as prints,
             coalesce(sum(seen_count), 0)::int as sightings
           from "${orgSchemaName(org.id)}".findings where project_id = $1`,
          [project.id],
        )
      )[0] as { rows: number; prints: number; sightings: number };
      const [scan] = must(await api.get(`/scans?project_id=${project.id}`, org.asOwner));
      const unexpected = [...after.unexpected];
      if (scan.status !== kind.status) unexpected.push(`the scan is ${scan.status}`);
      seen.push({
        ...{ missing: findings - prints, twice: rows - prints, again: sightings - rows },
        unexpected,
      });
      const ms = Math.round(performance.now() - began);
      scene.site.say(
        `  ${round + 1}: ${kind.name} after ${after.batches} of ${findings / BATCH} batches: ${[...unexpected, `${ms} ms`].join(', ')}`,
      );
    }
    const total = (read: (outcome: Outcome) => number) => sum(seen.map(read));
    return [
      { name: 'deliveries interrupted', value: rounds },
      { name: 'findings lost', value: total(({ missing }) => missing), aim: NONE },
      { name: 'findings stored twice', value: total(({ twice }) => twice), aim: NONE },
      { name: 'sightings counted twice', value: total(({ again }) => again), aim: NONE },
      { name: 'wrong exit codes and scan states', value: total((one) => one.unexpected.length), aim: NONE },
    ];
  },
});

interface Project {
  id: string;
  workspace: string;
  env: Record<string, string>;
}

async function createProject({ site }: Scene, api: Api, org: TestOrg): Promise<Project> {
  const { id } = must(await api.post('/projects', { ...org.asOwner, body: { name: crypto.randomUUID() } }));
  const body = { name: 'soak' };
  const { token } = must(await api.post(`/projects/${id}/tokens`, { ...org.asOwner, body }));
  const workspace = join(site.workDir, `workspace-${id}`);
  await mkdir(workspace);
  return { id, workspace, env: { SVC_API_KEY: token, SVC_PROJECT_ID: id, SVC_ORG: org.slug } };
}

interface Delivery {
  kind: Kind;
  project: Project;
  gate: Gate;
  findings: number;
  kill(): void;
  restart(): Promise<void>;
}

/** Delivers a report, injects the fault during the delivery, and delivers the rest. */
async function interrupt({ kind, project, gate, findings, kill, restart }: Delivery) {
  const { workspace: cwd } = project;
  const env = { ...project.env, SVC_BASE_URL: gate.url };
  const unexpected: string[] = [];
  const before = gate.answered();
  const { child, ended } = startAgent(['report', writeReport(cwd, findings), '--quiet'], { cwd, env });
  await gate.reached(before + 1 + Math.floor((Math.random() * findings * 0.8) / BATCH));
  await sleep(Math.random() * MAX_PAUSE_MS);
  const batches = gate.answered() - before;
  if (kind.signal) child.kill(kind.signal);
  else kill();
  if (kind.returns === 'at once') await restart();
  const { code } = await ended;
  if (code !== kind.code) unexpected.push(`svc-agent report exited with ${code}`);
  if (kind.returns === 'before sync') await restart();
  const synced = await startAgent(['sync', '--quiet'], { cwd, env }).ended;
  if (synced.code !== 0) unexpected.push(`svc-agent sync exited with ${synced.code}: ${synced.err.trim()}`);
  return { batches, unexpected };
}
