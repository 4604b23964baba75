import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { createSignedTokens } from '../lib/accounts/sessions/signed-token.ts';
import { createNodeHasher } from '../lib/node/argon2.ts';
import { createClient, createScan, finding, PASSWORD } from '../tests/support/api/client.ts';
import { type HostileRequest, mutations, spoil } from '../tests/support/hostile/mutations.ts';
import { type HostileOperation, hostileOperations } from '../tests/support/hostile/operations.ts';
import { createHostileWorld, type HostileWorld } from '../tests/support/hostile/world.ts';
import { asAgent, asMember } from '../tests/support/http/requests.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { scenario } from '../tests/support/scenario/scene.ts';
import type { Site } from '../tests/support/scenario/site.ts';
import { median } from '../tests/support/scenario/stats.ts';
import { type LoopWatch, watchLoop } from '../tests/support/server/loop-delay.ts';
import type { ServerProcess } from '../tests/support/server/process.ts';
import { heavyRequests } from './support/heavy.ts';
import { sendSpoiledBytes } from './support/spoiled-bytes.ts';

const SECRET = 'a secret for soak tests only';
/** How often each expensive request is sent; the median counts. */
const REPEATS = 5;
/** Requests with changed bytes per run. */
const BYTES_PER_RUN = 20;

export const hostile = scenario({
  summary:
    'malformed and expensive requests to every endpoint, with changed fields and bytes: refused as described, nothing is written, the event loop is not blocked (--seed 0 chooses one)',
  options: { runs: 50, seed: 0 },
  minutes: 30,
  async run(scene, options) {
    const { site } = scene;
    const seed = options.seed || randomInt(1, 2 ** 31);
    site.say(`--seed ${seed}`);
    const database = await scene.database();
    const loop = watchLoop(site);
    const server = await scene.server({ env: { LOG_LEVEL: 'debug', JWT_SECRET: SECRET, ...loop.env } });
    const api = createClient((request) => fetch(request), server.url);
    const world = await createHostileWorld({
      api,
      sql: database.sql,
      signedTokens: await createSignedTokens([SECRET]),
      passwordHash: await createNodeHasher().hash(PASSWORD),
    });
    const scan = await createScan(api, world.org);
    await world.written();

    const fields = await spoilFields(site, server.url, world, options.runs, seed);
    const bytes = await spoilBytes(site, server.url, world, options.runs * BYTES_PER_RUN, seed);
    const push = finding(world.org, scan);
    const heavy = await beHeavy(site, server, loop, {
      member: asMember(world.org),
      agent: asAgent(world.org),
      push,
    });
    await sleep(500);
    const log = checkLog(server.log() + server.errors());
    for (const line of log.bad.slice(0, 10)) site.say(`  ${line.slice(0, 500)}`);

    return [
      { name: 'requests with spoiled fields', value: fields.sent },
      { name: 'of those answered as not described, or 5xx', value: fields.wrong, aim: NONE },
      { name: 'of those refused, and yet written', value: fields.written, aim: NONE },
      { name: 'requests with spoiled bytes', value: bytes.sent },
      { name: 'of those answered 5xx, or ending the server', value: bytes.wrong, aim: NONE },
      { name: 'of those written', value: bytes.written, aim: NONE },
      { name: 'lines of the log', value: log.lines },
      { name: 'of those no line, or of a failure', value: log.bad.length, aim: NONE },
      { name: 'series of metrics not of ours', value: await strangeSeries(server.url), aim: NONE },
      { name: 'most expensive request, event loop blocked ms', value: heavy.delay, aim: { atMost: 100 } },
      { name: 'most expensive request, processor ms', value: heavy.cpu, aim: { atMost: 100 } },
    ] satisfies Figure[];
  },
});

async function spoilFields(site: Site, origin: string, world: HostileWorld, runs: number, seed: number) {
  const seen = { sent: 0, wrong: 0, written: 0 };
  for (const operation of hostileOperations()) {
    for (const mutation of fc.sample(mutations(operation), { numRuns: runs, seed })) {
      const request = spoil(operation, world.base(operation), mutation);
      const url = new URL(request.path, origin);
      const { status } = await send(origin, request);
      seen.sent++;
      const same = url.pathname.split('/').length === operation.path.split('/').length;
      if (status >= 500 || (same && !isDescribed(operation, status))) {
        seen.wrong++;
        site.say(`  ${operation.id} answered ${status} to ${JSON.stringify(mutation).slice(0, 300)}`);
      }
      const written = await world.written();
      if (written.length === 0) continue;
      if (status >= 400 || operation.method === 'GET') {
        seen.written++;
        site.say(
          `  ${operation.id} answered ${status} and did ${written} for ${JSON.stringify(mutation).slice(0, 300)}`,
        );
      }
      await world.renew();
    }
  }
  return seen;
}

const isDescribed = ({ statuses }: HostileOperation, status: number) => statuses.has(`${status}`);

async function send(origin: string, { method, path, headers, body }: HostileRequest) {
  const response = await fetch(new URL(path, origin), {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: await response.text() };
}

async function spoilBytes(site: Site, origin: string, world: HostileWorld, count: number, seed: number) {
  let wrong = 0;
  await sendSpoiledBytes(origin, world.org, { count, seed }, (answer, request) => {
    wrong++;
    site.say(`  ${JSON.stringify(answer.slice(0, 100))} to ${JSON.stringify(request.slice(0, 500))}`);
  });
  const { status } = await send(origin, { method: 'GET', path: '/healthz', headers: {} });
  return { sent: count, wrong: status === 200 ? wrong : wrong + 1, written: (await world.written()).length };
}

/** Sends the expensive requests one at a time. @returns the highest of their medians */
async function beHeavy(
  site: Site,
  server: ServerProcess,
  loop: LoopWatch,
  as: Parameters<typeof heavyRequests>[0],
) {
  const worst = { delay: 0, cpu: 0 };
  for (const [name, request] of heavyRequests(as)) {
    const delays: number[] = [];
    let status = 0;
    const before = await server.cpuSeconds();
    for (let i = 0; i < REPEATS; i++) {
      await loop.longest(server);
      // The loop is delayed for a moment after the question.
      await sleep(30);
      status = (await send(server.url, request)).status;
      await sleep(20);
      delays.push(await loop.longest(server));
    }
    const cpu = (((await server.cpuSeconds()) - before) * 1000) / REPEATS;
    const delay = median(delays);
    site.say(
      `  ${name.padEnd(32)} ${status}  blocked ${delay.toFixed(0).padStart(4)} ms, processor ${cpu.toFixed(0).padStart(4)} ms`,
    );
    worst.delay = Math.max(worst.delay, delay);
    worst.cpu = Math.max(worst.cpu, cpu);
  }
  return worst;
}

/** Finds malformed lines, and lines that report a server error. */
function checkLog(text: string): { lines: number; bad: string[] } {
  const lines = text.trimEnd().split('\n');
  const bad = lines.filter((line) => {
    if (/[\p{Cc}\u2028\u2029\u202a-\u202e]/u.test(line)) return true;
    return !/^\d{4}-\d\d-\d\dT[\d:.]+Z (debug|info |warn ) \S/.test(line) || / status=5\d\d /.test(line);
  });
  return { lines: lines.length, bad };
}

async function strangeSeries(origin: string): Promise<number> {
  const { text } = await send(origin, { method: 'GET', path: '/metrics', headers: {} });
  const paths = new Set(['unmatched', '/assets/*', ...hostileOperations().map(({ path }) => path)]);
  const series = [
    ...text.matchAll(/^svc_http_\w+\{method="(.*?)",path="(.*?)".*\}/gm),
    ...text.matchAll(/^svc_http_\w+\{.*le="[^"]*",method="(.*?)",path="(.*?)"\}/gm),
  ];
  return series.filter(
    ([, method, path]) => !/^([A-Z]{3,7}|other)$/.test(method ?? '') || !paths.has(path ?? ''),
  ).length;
}
