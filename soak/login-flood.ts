import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, PASSWORD } from '../tests/support/api/client.ts';
import { pushOf, readOf, wire } from '../tests/support/http/requests.ts';
import { MARK, type Sent, type Stream, startLoad } from '../tests/support/load/load.ts';
import { type Figure, figureOf, NONE } from '../tests/support/scenario/figure.ts';
import { scenario } from '../tests/support/scenario/scene.ts';
import { percentile, sum } from '../tests/support/scenario/stats.ts';

const FINDINGS = 10_000;
const BYTES = 1_000;
/** Rate of each kind of request that must not be disturbed. */
const PER_SECOND = 50;
/** The flood has its full height after this. */
const SETTLE_MS = 2_000;
const LOGIN_EVERY_MS = 1_000;
/** Addresses of the attacker, and of the owner who signs in meanwhile. The service believes the header. */
const ATTACKER = { 'x-forwarded-for': '203.0.113.9' };
const USER = { 'x-forwarded-for': '198.51.100.7' };
const EXPECTED = ['401 invalid_credentials', '500 unavailable'];

type Measured = Record<string, Sent>;

interface Login {
  ok: boolean;
  ms: number;
}

export const loginFlood = scenario({
  summary: 'wrong logins without pause: everything else is served as always, and the owner can sign in',
  options: { rounds: 5, seconds: 6, connections: 200 },
  minutes: 15,
  async run({ site, ...scene }, { rounds, seconds, connections }) {
    const server = await scene.server({ env: { SVC_TRUST_PROXY: 'on' } });
    const { url } = server;
    const org = await scene.seed(server, { findings: FINDINGS, bytes: BYTES });
    const { email } = org.owner;
    const wrongLogin = (email: string) =>
      wire(url, {
        ...{ method: 'POST', path: '/auth/login', headers: ATTACKER },
        body: { email, password: 'Wrong1password' },
      });
    // Attempts on an account, and on an unknown address.
    const attempts = [email, 'nobody@example.com'].map(wrongLogin);
    // No status is expected: all answers are counted.
    const flood = { url, streams: { logins: { requests: attempts, status: 0, connections } } };

    const stream = (request: string, status = 200): Stream => ({
      ...{ requests: [request], status, perSecond: PER_SECOND },
    });
    const asset = `GET /assets/swagger-ui-dist/swagger-ui.css HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`;
    const others: Record<string, Stream> = {
      'a static file': stream(asset),
      'GET /auth/me': stream(wire(url, readOf(org, '/auth/me'))),
      'a point read': stream(wire(url, readOf(org, `/findings/${org.findingIds[0]}`))),
      'a push': stream(wire(url, pushOf(org, org.scanIds[0], { fingerprint: MARK })), 201),
    };
    const probe = (seconds: number): Promise<Measured> => startLoad({ url, streams: others, seconds }).result;
    const api = createClient(fetch, url);
    const login = async (): Promise<Login> => {
      const began = performance.now();
      const { status } = await api.post('/auth/login', {
        headers: USER,
        body: { email, password: PASSWORD },
      });
      return { ok: status === 200, ms: performance.now() - began };
    };
    await probe(2);
    await login();

    const quiet: Measured[] = [];
    const flooded: Measured[] = [];
    const quietLogins: Login[] = [];
    const logins: Login[] = [];
    const floods: Sent[] = [];
    let memory = 0;
    for (let round = 1; round <= rounds; round++) {
      quiet.push(await probe(seconds));
      quietLogins.push(await login());
      const flooding = startLoad(flood);
      site.onClose(flooding.kill);
      await sleep(SETTLE_MS);
      const stop = new AbortController();
      const signingIn = signInAgain(login, logins, stop.signal);
      flooded.push(await probe(seconds));
      memory = Math.max(memory, await server.memory());
      stop.abort();
      await signingIn;
      floods.push((await flooding.stop()).logins);
      const p99 = Object.keys(others).map(
        (name) =>
          `${name} ${p99Of(flooded.at(-1), name).toFixed(1)} (${p99Of(quiet.at(-1), name).toFixed(1)})`,
      );
      site.say(
        `  round ${round}, p99 ms flooded (quiet): ${p99.join(', ')}; ${JSON.stringify(floods.at(-1)?.others)}`,
      );
    }

    const answers = floods.flatMap(({ others }) => Object.entries(others));
    const count = (matches: (answer: string) => boolean) =>
      sum(answers.filter(([answer]) => matches(answer)).map(([, n]) => n));
    const failed = [...quiet, ...flooded]
      .flatMap(Object.values<Sent>)
      .flatMap(({ others }) => Object.values(others));
    return [
      ...Object.keys(others).map((name): Figure => {
        const figure = figureOf({ ours: flooded, limit: quiet }, (one) => p99Of(one, name));
        return { name: `p99 ms, ${name}`, ...figure, limitedBy: 'without the flood', aim: { atMost: 1.5 } };
      }),
      { name: 'of them failed', value: sum(failed), aim: NONE },
      {
        name: "the owner's login ms, from another address",
        ...figureOf({ ours: logins, limit: quietLogins }, ({ ms }) => ms),
        limitedBy: 'without the flood',
      },
      {
        name: 'the slowest of these ms',
        value: Math.max(...logins.map(({ ms }) => ms)),
        aim: { atMost: 2_000 },
      },
      { name: 'of these failed', value: logins.filter(({ ok }) => !ok).length, aim: NONE },
      { name: 'wrong logins checked', value: count((answer) => answer === EXPECTED[0]) },
      { name: 'refused as unavailable', value: count((answer) => answer === EXPECTED[1]) },
      { name: 'answered otherwise', value: count((answer) => !EXPECTED.includes(answer)), aim: NONE },
      { name: 'slowest wrong login ms', value: Math.max(...floods.map(({ slowestMs }) => slowestMs)) },
      { name: 'RSS in the flood, highest MiB', value: memory },
    ];
  },
});

const p99Of = (measured: Measured | undefined, name: string): number =>
  percentile(measured?.[name]?.times ?? [], 0.99);

async function signInAgain(login: () => Promise<Login>, seen: Login[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    seen.push(await login());
    await sleep(LOGIN_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
