import { createClient, createOrg, createScan, finding } from '../tests/support/api/client.ts';
import { asAgent, type WireRequest, wire } from '../tests/support/http/requests.ts';
import { MARK, newRun } from '../tests/support/load/load.ts';
import { type Figure, figureOf, NONE } from '../tests/support/scenario/figure.ts';
import { sum } from '../tests/support/scenario/stats.ts';
import { copyFindings } from './support/copy-findings.ts';
import { findPsql } from './support/psql.ts';
import { bench, inTurns } from './support/rounds.ts';
import { sampleFields } from './support/sample.ts';

const FINDINGS = 500;
const CONNECTIONS = 4;
/** Connections of the single pushes that batches are compared with. */
const SINGLE_CONNECTIONS = 64;
/** Batches that a session copies in a round of the limit. */
const COPIED_BATCHES = 40;

interface Round {
  /** Findings. */
  perSecond: number;
  errors: number;
  p99: number;
  /** Microseconds of the server per finding. */
  cpu: number;
}

export const batch = bench({
  summary: `POST /agent/findings/batch with ${FINDINGS} distinct findings on ${CONNECTIONS} connections, against COPY and one upsert per batch, and against single pushes`,
  async run(scene, options) {
    const server = await scene.server();
    const psql = await findPsql();
    if (!psql) scene.site.say('psql is not installed: there is no limit to compare with');
    const api = createClient(fetch, server.url);
    const org = await createOrg(api);
    const scanId = await createScan(api, org);

    const send =
      (request: WireRequest, connections: number, findings: number, status: number) => async () => {
        const before = await server.cpuSeconds();
        const load = { url: server.url, requests: [wire(server.url, request)], seconds: options.seconds };
        const result = await scene.loader.run(
          { ...load, connections, run: newRun(), status },
          scene.site.workDir,
        );
        const cpu = (((await server.cpuSeconds()) - before) / (result.answered * findings)) * 1e6;
        return { perSecond: result.perSecond * findings, errors: result.errors, p99: result.p99, cpu };
      };
    const headers = asAgent(org);
    const single = finding(org, scanId, sampleFields(org, scanId));
    const findings = Array.from({ length: FINDINGS }, (_, i) => ({
      ...single,
      fingerprint: `${MARK}-${i}`,
      description: single.description.replace(MARK, `${i}`),
    }));
    const inBatches = send(
      { method: 'POST', path: '/agent/findings/batch', headers, body: { findings } },
      CONNECTIONS,
      FINDINGS,
      200,
    );
    const alone = send(
      { method: 'POST', path: '/agent/findings', headers, body: single },
      SINGLE_CONNECTIONS,
      1,
      201,
    );
    const show = ({ perSecond }: Round) => `${Math.round(perSecond).toLocaleString('en-US')}/s`;
    const limit = psql
      ? async () => {
          const load = { sessions: CONNECTIONS, batches: COPIED_BATCHES, rows: FINDINGS };
          const perSecond = await copyFindings(scene, { org, scanId, fields: single, ...load });
          return { perSecond, errors: 0, p99: Number.NaN, cpu: Number.NaN };
        }
      : undefined;
    const toCopy = await inTurns<Round>(scene, options.rounds, 'batch', { ours: inBatches, limit }, show);
    const toSingle = await inTurns<Round>(
      scene,
      options.rounds,
      'batch and single pushes',
      { ours: inBatches, limit: alone },
      show,
    );
    return figures(toCopy, toSingle);
  },
});

function figures(
  toCopy: { ours: Round[]; limit: Round[] },
  toSingle: { ours: Round[]; limit: Round[] },
): Figure[] {
  const perSecond = (round: Round) => round.perSecond;
  const ofServer = { ours: toCopy.ours, limit: [] };
  return [
    {
      name: 'findings/s',
      ...figureOf(toCopy, perSecond),
      limitedBy: `COPY and INSERT, ${CONNECTIONS} sessions`,
      aim: { atLeast: 0.5 },
    },
    {
      name: 'findings/s',
      ...figureOf(toSingle, perSecond),
      limitedBy: `single pushes, ${SINGLE_CONNECTIONS} connections`,
      aim: { atLeast: 5 },
    },
    { name: 'p99 ms', ...figureOf(ofServer, ({ p99 }) => p99) },
    { name: 'errors', value: sum([...toCopy.ours, ...toSingle.ours].map(({ errors }) => errors)), aim: NONE },
    { name: 'server CPU µs/finding', ...figureOf(ofServer, ({ cpu }) => cpu) },
  ];
}
