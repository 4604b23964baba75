import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { finding, PASSWORD } from '../tests/support/api/client.ts';
import { type SeededOrg, seedOrg } from '../tests/support/database/seed.ts';
import { asAgent, asMember } from '../tests/support/http/requests.ts';
import type { Figure } from '../tests/support/scenario/figure.ts';
import { median, percentile } from '../tests/support/scenario/stats.ts';
import type { BenchServer } from '../tests/support/server/bench-server.ts';
import { beginFlood, type FloodSeen } from './support/flood.ts';
import { soak } from './support/soak.ts';

const FINDINGS = 10_000;
const BYTES = 1_000;
/** Of each kind of request that must not be disturbed. */
const PER_SECOND = 50;
/** Until the flood is at its full height. */
const SETTLE_MS = 2_000;
const LOGIN_EVERY_MS = 1_000;
/** Who floods, and who wants to sign in meanwhile. The service believes the header. */
const ATTACKER = { 'x-forwarded-for': '203.0.113.9' };
const USER = { 'x-forwarded-for': '198.51.100.7' };

export const loginFlood = soak({
  summary: 'wrong logins without pause: everything else is served as always, and the owner can sign in',
  options: { rounds: 5, seconds: 6, connections: 200 },
  minutes: 15,
  async run({ site, ...scene }, { rounds, seconds, connections }) {
    const database = await scene.database();
    const server = await scene.server({ databaseUrl: database.url, env: { SVC_TRUST_PROXY: 'on' } });
    const org = await seedOrg(database, server, { findings: FINDINGS, bytes: BYTES });
    const kinds = kindsOf(server, org);
    const login = loginOf(server, org.owner.email);
    const plan = {
      url: `${server.origin}/api/v1/auth/login`,
      headers: ATTACKER,
      // Of an account, and of nobody.
      bodies: [org.owner.email, 'nobody@example.com'].map((email) =>
        JSON.stringify({ email, password: 'Wrong1password' }),
      ),
      connections,
    };
    await probe(kinds, 2);
    await login();

    const quiet: Measured[] = [];
    const flooded: Measured[] = [];
    const quietLogins: Sent[] = [];
    const logins: Sent[] = [];
    const floods: FloodSeen[] = [];
    let memory = 0;
    for (let round = 1; round <= rounds; round++) {
      quiet.push(await probe(kinds, seconds));
      quietLogins.push(await login());
      const end = await beginFlood(site, plan);
      await sleep(SETTLE_MS);
      const stop = new AbortController();
      const signingIn = signInAgain(login, logins, stop.signal);
      flooded.push(await probe(kinds, seconds));
      memory = Math.max(memory, (await server.memory()) ?? 0);
      stop.abort();
      await signingIn;
      floods.push(await end());
      const p99 = kinds.map(
        ({ name }) =>
          `${name} ${p99Of(flooded.at(-1), name).toFixed(1)} (${p99Of(quiet.at(-1), name).toFixed(1)})`,
      );
      site.say(
        `  round ${round}, p99 ms flooded (quiet): ${p99.join(', ')}; ${JSON.stringify(floods.at(-1))}`,
      );
    }

    const answers = floods.flatMap(({ answers }) => Object.entries(answers));
    const count = (matches: (answer: string) => boolean) =>
      answers.filter(([answer]) => matches(answer)).reduce((sum, [, n]) => sum + n, 0);
    const failed = [...quiet, ...flooded].reduce((sum, { errors }) => sum + errors, 0);
    return [
      ...kinds.map(({ name }): Figure => {
        const values = flooded.map((one) => p99Of(one, name));
        const limits = quiet.map((one) => p99Of(one, name));
        return {
          name: `p99 ms, ${name}`,
          ...{ value: median(values), limit: median(limits), limitedBy: 'without the flood' },
          aim: { atMost: 1.5 },
          rounds: { values, limits },
        };
      }),
      { name: 'of them failed', value: failed, aim: { atMost: 0 } },
      {
        name: "the owner's login ms, from another address",
        value: median(logins.map(({ ms }) => ms)),
        ...{ limit: median(quietLogins.map(({ ms }) => ms)), limitedBy: 'without the flood' },
      },
      {
        name: 'the slowest of these ms',
        value: Math.max(...logins.map(({ ms }) => ms)),
        aim: { atMost: 2_000 },
      },
      { name: 'of these failed', value: logins.filter(({ ok }) => !ok).length, aim: { atMost: 0 } },
      { name: 'wrong logins checked', value: count((answer) => answer === '401 invalid_credentials') },
      { name: 'refused as unavailable', value: count((answer) => answer === '500 unavailable') },
      {
        name: 'answered otherwise',
        value: count((answer) => !['401 invalid_credentials', '500 unavailable'].includes(answer)),
        aim: { atMost: 0 },
      },
      { name: 'slowest wrong login ms', value: Math.max(...floods.map(({ slowestMs }) => slowestMs)) },
      { name: 'RSS in the flood, highest MiB', value: memory },
    ];
  },
});

interface Sent {
  ok: boolean;
  ms: number;
}

interface Kind {
  name: string;
  send(): Promise<boolean>;
}

/** What the flood must not disturb. */
function kindsOf({ origin }: BenchServer, org: SeededOrg): Kind[] {
  const ask = async (path: string, status: number, init: RequestInit = {}) => {
    const response = await fetch(origin + path, init);
    await response.arrayBuffer();
    return response.status === status;
  };
  const asOwner = { headers: asMember(org) };
  const push = () => ({
    method: 'POST',
    headers: { ...asAgent(org), 'content-type': 'application/json' },
    body: JSON.stringify(
      finding(org, org.scanIds[0] ?? '', { fingerprint: randomBytes(16).toString('hex') }),
    ),
  });
  return [
    { name: 'a static file', send: () => ask('/assets/swagger-ui-dist/swagger-ui.css', 200) },
    { name: 'GET /auth/me', send: () => ask('/api/v1/auth/me', 200, asOwner) },
    { name: 'a point read', send: () => ask(`/api/v1/findings/${org.findingIds[0]}`, 200, asOwner) },
    { name: 'a push', send: () => ask('/api/v1/agent/findings', 201, push()) },
  ];
}

interface Measured {
  /** Milliseconds by kind, sorted. */
  times: Map<string, Float64Array>;
  errors: number;
}

const p99Of = (measured: Measured | undefined, name: string): number =>
  percentile(measured?.times.get(name) ?? [], 0.99);

/** Sends each kind at its times, whether those before were answered or not. */
async function probe(kinds: readonly Kind[], seconds: number): Promise<Measured> {
  const times = new Map<string, Float64Array>();
  let errors = 0;
  await Promise.all(
    kinds.map(async ({ name, send }, i) => {
      const began = performance.now() + (i * 1_000) / PER_SECOND / kinds.length;
      const all = Array.from({ length: seconds * PER_SECOND }, async (_, n) => {
        const due = began + (n * 1_000) / PER_SECOND;
        await sleep(Math.max(0, due - performance.now()));
        const sent = performance.now();
        if (!(await send().catch(() => false))) errors++;
        return performance.now() - sent;
      });
      times.set(name, Float64Array.from(await Promise.all(all)).sort());
    }),
  );
  return { times, errors };
}

const loginOf =
  ({ origin }: BenchServer, email: string) =>
  async (): Promise<Sent> => {
    const began = performance.now();
    const response = await fetch(`${origin}/api/v1/auth/login`, {
      method: 'POST',
      headers: { ...USER, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    await response.arrayBuffer();
    return { ok: response.status === 200, ms: performance.now() - began };
  };

async function signInAgain(login: () => Promise<Sent>, seen: Sent[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    seen.push(await login());
    await sleep(LOGIN_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
