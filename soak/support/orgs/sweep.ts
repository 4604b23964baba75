import { randomBytes, randomUUID } from 'node:crypto';
import { openDatabase } from '../../../db/client.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { generateToken } from '../../../lib/tokens/format.ts';
import { type Figure, NONE } from '../../../tests/support/scenario/figure.ts';
import type { ServerProcess } from '../../../tests/support/server/process.ts';
import { STEPS } from '../next-version.ts';
import { apiOf, type Fleet, type FleetOrg, forEach } from './fleet.ts';
import { backendsOf, watchMemory } from './memory.ts';

const POOL = 10;
/** More than connections, so that all of them are used. */
const REQUESTS_AT_ONCE = 16;
const SCAN = 'sweep';
/** Few enough that the connection is not replaced. */
const ONE_CONNECTION_ORGS = 400;
const SAY_MS = 10_000;

/** The project and token that every organization needs for a push. */
interface Equipment {
  projectId: string;
  token: string;
}

/** Reads from and pushes to every organization, several at a time, and measures memory. */
export async function sweep(fleet: Fleet, entry: string, steps: number): Promise<Figure[]> {
  const { orgs, scene } = fleet;
  const equipment = await equip(fleet);
  const start = (pool: number) =>
    scene.server({ entry, env: { [STEPS]: `${steps}`, SVC_DB_POOL_MAX: `${pool}` } });

  const single = await start(1);
  const [first, ...some] = orgs.slice(0, ONE_CONNECTION_ORGS + 1) as [FleetOrg, ...FleetOrg[]];
  const before = await ownMemory(fleet, single, first, equipment);
  await forEach(some, 1, (org) => visit(fleet, single, org, equipment));
  const after = await ownMemory(fleet, single, first, equipment);
  await single.stop();

  const server = await start(POOL);
  const over = new AbortController();
  const watched = watchMemory(fleet, server, over.signal);
  const began = performance.now();
  let done = 0;
  let said = began;
  const unexpected: string[] = [];
  await forEach(orgs, REQUESTS_AT_ONCE, async (org) => {
    unexpected.push(...(await visit(fleet, server, org, equipment)));
    done++;
    if (performance.now() - said < SAY_MS) return;
    said = performance.now();
    scene.site.say(`  swept ${done} organizations, server at ${(await server.memory()).toFixed(0)} MiB`);
  });
  const seconds = (performance.now() - began) / 1000;
  over.abort();
  const peak = await watched;
  await server.stop();
  for (const line of unexpected.slice(0, 10)) scene.site.say(`  NOT AS EXPECTED: ${line}`);
  return [
    { name: 'organizations swept/s', value: orgs.length / seconds },
    { name: 'unexpected answers', value: unexpected.length, aim: NONE },
    { name: 'server RSS, highest MiB', value: peak.server, aim: { atMost: 300 } },
    {
      name: `private memory of ${peak.count} backends, highest MiB`,
      value: peak.backends,
      aim: { atMost: 1_536 },
    },
    {
      name: 'KiB per organization a connection has touched',
      value: ((after - before) / some.length) * 1024,
    },
  ];
}

/** A push and two reads, so few that no statement is prepared. @returns the unexpected responses */
async function visit(
  { owner }: Fleet,
  server: ServerProcess,
  { slug }: FleetOrg,
  { projectId, token }: Equipment,
): Promise<string[]> {
  const api = apiOf(server);
  const asOwner = { cookie: owner.cookie, org: slug };
  const finding = {
    scan_id: SCAN,
    project_id: projectId,
    fingerprint: randomBytes(8).toString('hex'),
    title: 'SQL injection in search',
    severity: 'high',
    description: 'User input reaches the query.',
  };
  const pushed = await api.post('/agent/findings', { token, org: slug, body: finding });
  const answers = [
    pushed,
    await api.get('/findings?per_page=50&severity=high', asOwner),
    await api.get('/dashboard/stats', asOwner),
  ];
  return answers.flatMap(({ status, text }) =>
    status < 300 ? [] : [`${slug}: ${status} ${text.slice(0, 200)}`],
  );
}

/** MiB that the only backend has allocated, immediately after a request. */
async function ownMemory(fleet: Fleet, server: ServerProcess, org: FleetOrg, equipment: Equipment) {
  await visit(fleet, server, org, equipment);
  const backends = await backendsOf(fleet);
  return Math.max(...backends.map(({ own }) => own));
}

/** Gives every organization the same project, token and running scan, by SQL. */
async function equip({ databaseUrl, orgs, owner, scene }: Fleet): Promise<Equipment> {
  const { token, prefix, hash } = generateToken();
  const projectId = randomUUID();
  const { sql, close } = openDatabase({ url: databaseUrl, max: 2, applicationName: 'equipment' });
  await forEach(orgs, 2, async ({ id }) => {
    const schema = `"${orgSchemaName(id)}"`;
    await sql
      .unsafe(
        `set local synchronous_commit = off;
         insert into ${schema}.projects values ('${projectId}', 'Web shop', 'web-shop', now());
         insert into ${schema}.api_tokens (id, project_id, name, prefix, token_hash, created_by, created_at)
         values (gen_random_uuid(), '${projectId}', 'ci', '${prefix}', '${hash}', '${owner.id}', now());
         insert into ${schema}.scans (scan_id, project_id, persona, name, status, created_at)
         values ('${SCAN}', '${projectId}', 'senku', 'Sweep', 'running', now());
         insert into ${schema}.scan_counts values ('${projectId}', 'running', 1)`,
      )
      .simple();
  });
  await close();
  scene.site.say(`  ${orgs.length} organizations have a token`);
  return { projectId, token };
}
