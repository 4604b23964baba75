import { asAgent, wire } from '../tests/support/http/requests.ts';
import { createWireClient } from '../tests/support/http/wire-client.ts';
import { figureOf } from '../tests/support/scenario/figure.ts';
import { median } from '../tests/support/scenario/stats.ts';
import { findPsql, timeByPsql } from './support/psql.ts';
import { bench } from './support/rounds.ts';

const FINDINGS = 10_000;
const SCANS_PER_ROUND = 5;

/** The end of a scan, at which its findings are counted. */
export const scanCompletion = bench({
  summary: 'PATCH /agent/scans/{id} of a scan with 10,000 findings, against psql with the same aggregate',

  async run(scene, { rounds }) {
    const server = await scene.server();
    const { url, sql } = await scene.database();
    const scans = (rounds + 1) * SCANS_PER_ROUND;
    const org = await scene.seed(server, { findings: scans * FINDINGS, bytes: 500, scans });
    // Otherwise each scan would miss the findings of the one before, which is measured on its own.
    await sql.unsafe(`update ${org.schema}.scans set target = json_build_object('path', scan_id)`);
    const counted = (scanId: string) => `
      select severity, count(*) from (
        select severity from ${org.schema}.findings where scan_id = '${scanId}'
        union all
        select f.severity from ${org.schema}.sightings s join ${org.schema}.findings f on f.id = s.finding_id
        where s.scan_id = '${scanId}') seen
      group by severity`;
    const psql = await findPsql();
    const client = createWireClient(server.url);
    // Otherwise the first one to read the rows would pay for reading them from disk.
    if (psql) await timeByPsql(url, org.scanIds.map(counted));

    const complete = async (id: string) => {
      const path = `/agent/scans/${id}`;
      const body = { status: 'completed' };
      const began = performance.now();
      const { status } = await client.exchange(
        wire(server.url, { method: 'PATCH', path, headers: asAgent(org), body }),
      );
      if (status !== 200) throw new Error(`${path}: ${status}`);
      return performance.now() - began;
    };
    const ours: number[] = [];
    const limit: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const ids = org.scanIds.slice(round * SCANS_PER_ROUND, (round + 1) * SCANS_PER_ROUND);
      const times: number[] = [];
      const aggregates = psql ? await timeByPsql(url, ids.map(counted)) : [];
      for (const id of ids) times.push(await complete(id));
      // The first round warms up.
      if (round === 0) continue;
      ours.push(median(times));
      if (psql) limit.push(median(aggregates));
      const [value, bound] = [ours.at(-1)?.toFixed(1), limit.at(-1)?.toFixed(1)];
      scene.site.say(`  scan-completion, round ${round}: server ${value} ms, limit ${bound} ms`);
    }
    // Completing a scan again marks what is not marked yet.
    await sql.unsafe(`update ${org.schema}.scans set target = null`);
    const marking: number[] = [];
    for (const id of org.scanIds.slice(-SCANS_PER_ROUND)) marking.push(await complete(id));
    const gone: number[] = [];
    for (const id of org.scanIds.slice(-SCANS_PER_ROUND)) {
      const request = {
        method: 'GET',
        path: `/agent/scans/${id}/gone?source=semgrep`,
        headers: asAgent(org),
      };
      const began = performance.now();
      const { status } = await client.exchange(wire(server.url, request));
      if (status !== 200) throw new Error(`${request.path}: ${status}`);
      gone.push(performance.now() - began);
    }
    client.close();
    const figure = figureOf({ ours, limit }, (ms) => ms);
    return [
      { name: 'ms', ...figure, limitedBy: 'psql, \\timing', aim: { atMost: 1.5 } },
      { name: 'marking 10,000 missing findings, ms', value: median(marking) },
      { name: 'counting the gone findings of a scan, ms', value: median(gone) },
    ];
  },
});
