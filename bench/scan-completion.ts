import { Agent } from 'node:http';
import { asAgent } from '../tests/support/http/requests.ts';
import type { Bench } from '../tests/support/scenario/figure.ts';
import { median } from '../tests/support/scenario/stats.ts';
import { send } from './support/latency.ts';
import { findPsql, timeByPsql } from './support/psql.ts';
import { figureOf } from './support/rounds.ts';

const FINDINGS = 10_000;
const SCANS_PER_ROUND = 5;

/** The end of a scan, which counts what it found. */
export const scanCompletion: Bench = {
  summary: 'PATCH /agent/scans/{id} of a scan with 10,000 findings, against psql with the same aggregate',

  async run(stage) {
    const { site, options } = stage;
    const server = await stage.server();
    const { url } = await stage.database();
    const scans = (options.rounds + 1) * SCANS_PER_ROUND;
    const org = await stage.seed(server, { findings: scans * FINDINGS, bytes: 500, scans });
    const counted = (scanId: string) => `
      select severity, count(*) from (
        select severity from ${org.schema}.findings where scan_id = '${scanId}'
        union all
        select f.severity from ${org.schema}.sightings s join ${org.schema}.findings f on f.id = s.finding_id
        where s.scan_id = '${scanId}') seen
      group by severity`;
    const psql = await findPsql();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    // What is read from disk for the first time would be charged to whoever comes first.
    if (psql) await timeByPsql(url, org.scanIds.map(counted));

    const ours: number[] = [];
    const limit: number[] = [];
    for (let round = 0; round <= options.rounds; round++) {
      const ids = org.scanIds.slice(round * SCANS_PER_ROUND, (round + 1) * SCANS_PER_ROUND);
      const times: number[] = [];
      const aggregates = psql ? await timeByPsql(url, ids.map(counted)) : [];
      for (const id of ids) {
        const began = performance.now();
        const path = `/agent/scans/${id}`;
        const status = await send(agent, server.origin, {
          ...{ method: 'PATCH', path, headers: asAgent(org), body: { status: 'completed' } },
        });
        if (status !== 200) throw new Error(`${path}: ${status}`);
        times.push(performance.now() - began);
      }
      // The first round warms up.
      if (round === 0) continue;
      ours.push(median(times));
      if (psql) limit.push(median(aggregates));
      site.say(
        `  scan-completion, round ${round}: server ${ours.at(-1)?.toFixed(1)} ms, limit ${limit.at(-1)?.toFixed(1)} ms`,
      );
    }
    agent.destroy();
    return [
      {
        name: 'ms',
        ...figureOf({ ours, limit }, (ms) => ms),
        ...{ limitedBy: 'psql, \\timing', aim: { atMost: 1.5 } },
      },
    ];
  },
};
