import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, createOrg, createScan, finding, type TestOrg } from '../tests/support/api/client.ts';
import { asAgent, wire } from '../tests/support/http/requests.ts';
import { newRun } from '../tests/support/load/load.ts';
import { type Figure, figureOf } from '../tests/support/scenario/figure.ts';
import type { Scene } from '../tests/support/scenario/scene.ts';
import { type AgentUsage, runMeasured } from './support/agent-run.ts';
import { bench, inTurns } from './support/rounds.ts';
import { sampleFields } from './support/sample.ts';

const FINDINGS = 50_000;
/** Findings of the run whose processor time counts as the start of the agent. */
const FEW = 10;
/** Connections of the single pushes that are the limit. */
const CONNECTIONS = 64;

interface Round {
  /** Findings of a SARIF report, end to end. */
  perSecond: number;
  /** Findings of a report in generic JSON, end to end. */
  ofGeneric: number;
  /** The same without starting, reading the report and writing the journal. */
  delivered: number;
  /** The processor time of the agent. */
  startCpu: number;
  readCpu: number;
  deliveryCpu: number;
  memory: number;
}

export const agent = bench({
  summary: `svc-agent report with ${FINDINGS.toLocaleString('en-US')} findings of a report, end to end, against single pushes on ${CONNECTIONS} connections`,
  async run(scene, options) {
    const server = await scene.server();
    const api = createClient(fetch, server.url);
    const org = await createOrg(api);
    const scanId = await createScan(api, org);
    const single = wire(server.url, {
      ...{ method: 'POST', path: '/agent/findings', headers: asAgent(org) },
      body: finding(org, scanId, sampleFields(org, scanId)),
    });
    const pushAlone = async () => {
      const load = { url: server.url, requests: [single], seconds: options.seconds };
      const { perSecond, errors } = await scene.loader.run(
        { ...load, connections: CONNECTIONS, run: newRun(), status: 201 },
        scene.site.workDir,
      );
      if (errors > 0) throw new Error(`${errors} pushes failed`);
      return { ...NOTHING, perSecond };
    };
    const rounds = await inTurns<Round>(
      scene,
      options.rounds,
      'agent',
      { ours: () => measure(scene, server.url, org), limit: pushAlone },
      ({ perSecond }) => `${Math.round(perSecond).toLocaleString('en-US')}/s`,
    );
    const ofAgent = { ours: rounds.ours, limit: [] };
    const { ours, limit } = rounds;
    const generic = { ours: ours.map((round) => ({ perSecond: round.ofGeneric })), limit };
    const delivered = { ours: ours.map((round) => ({ perSecond: round.delivered })), limit };
    const limited = { limitedBy: `single pushes, ${CONNECTIONS} connections`, aim: { atLeast: 1.2 } };
    return [
      { name: 'findings/s, SARIF', ...figureOf(rounds, ({ perSecond }) => perSecond), ...limited },
      { name: 'findings/s, generic JSON', ...figureOf(generic, ({ perSecond }) => perSecond), ...limited },
      { name: 'findings/s, delivery only', ...figureOf(delivered, ({ perSecond }) => perSecond), ...limited },
      {
        name: 'delivery CPU µs/finding',
        ...figureOf(ofAgent, ({ deliveryCpu }) => deliveryCpu),
        aim: { atMost: 30 },
      },
      { name: 'reading and journal CPU µs/finding', ...figureOf(ofAgent, ({ readCpu }) => readCpu) },
      {
        name: `CPU s with ${FEW} findings`,
        ...figureOf(ofAgent, ({ startCpu }) => startCpu),
        aim: { atMost: 0.15 },
      },
      { name: 'RSS MiB', ...figureOf(ofAgent, ({ memory }) => memory) },
    ] satisfies Figure[];
  },
});

const NOTHING = {
  ofGeneric: Number.NaN,
  delivered: Number.NaN,
  startCpu: Number.NaN,
  readCpu: Number.NaN,
  deliveryCpu: Number.NaN,
  memory: Number.NaN,
};

/** Delivers reports. The service refuses the key in another run, which reads the same report and writes the journal. */
async function measure({ site, checkout, profileDir }: Scene, url: string, org: TestOrg): Promise<Round> {
  const { workDir } = site;
  const env = { SVC_BASE_URL: url, SVC_API_KEY: org.token, SVC_PROJECT_ID: org.projectId, SVC_ORG: org.slug };
  const run = async (report: object, changed: Partial<typeof env> = {}, profiles?: string) => {
    const file = join(workDir, 'report.json');
    await writeFile(file, JSON.stringify(report));
    return runMeasured(['report', file, '--json'], {
      ...{ workDir, env: { ...env, ...changed }, profileDir: profiles },
      agent: join(checkout, 'dist/public/assets/svc-agent.mjs'),
    });
  };
  const few = expectDelivered(await run(sarif(FEW)), FEW);
  const unknownKey = { SVC_API_KEY: `svc_${'0'.repeat(32)}` };
  const undelivered = await run(sarif(FINDINGS), unknownKey);
  if (undelivered.code !== 1) throw new Error(`The agent delivered with an unknown key: ${undelivered.out}`);
  const all = expectDelivered(await run(sarif(FINDINGS), {}, profileDir), FINDINGS);
  const ofGeneric = expectDelivered(await run(generic(FINDINGS)), FINDINGS);
  const perFinding = (cpu: number) => (cpu / FINDINGS) * 1e6;
  return {
    perSecond: FINDINGS / all.seconds,
    ofGeneric: FINDINGS / ofGeneric.seconds,
    delivered: FINDINGS / (all.seconds - undelivered.seconds),
    startCpu: few.cpu,
    readCpu: perFinding(undelivered.cpu - few.cpu),
    deliveryCpu: perFinding(all.cpu - undelivered.cpu),
    memory: all.memory,
  };
}

function expectDelivered(usage: AgentUsage, count: number): AgentUsage {
  const { new: fresh } = JSON.parse(usage.out);
  if (usage.code !== 0 || fresh !== count) throw new Error(`The agent failed: ${usage.out}`);
  return usage;
}

const TEXT = 'User input reaches the query without being escaped. '.repeat(5);

/** A report whose findings no other report contains. */
function sarif(count: number): object {
  const run = newRun();
  const results = Array.from({ length: count }, (_, i) => ({
    ruleId: 'sql-injection',
    level: 'error',
    message: { text: `${TEXT} ${run} ${i}` },
    partialFingerprints: { primaryLocationLineHash: `${run}-${i}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: `src/shop/${run}/search-${i % 500}.ts` },
          region: { startLine: i + 1, snippet: { text: `db.query('select ' + input${i})` } },
        },
      },
    ],
  }));
  const rules = [
    { id: 'sql-injection', shortDescription: { text: 'SQL injection' }, properties: { tags: ['CWE-89'] } },
  ];
  return { version: '2.1.0', runs: [{ tool: { driver: { name: 'Semgrep OSS', rules } }, results }] };
}

/** The same in the format of DefectDojo's generic importer. */
function generic(count: number): object {
  const run = newRun();
  const findings = Array.from({ length: count }, (_, i) => ({
    title: 'SQL injection',
    severity: 'High',
    description: `${TEXT} ${run} ${i}`,
    cwe: 89,
    file_path: `src/shop/${run}/search-${i % 500}.ts`,
    line: i + 1,
    unique_id_from_tool: `${run}-${i}`,
  }));
  return { findings };
}
