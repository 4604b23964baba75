// With the client of openapi-generator for TypeScript (fetch).
import { AgentIngestApi, Configuration, FindingsApi } from './client/index';

const {
  BASE_URL: basePath,
  ORG: xOrgSlug,
  PROJECT: projectId = '',
  INGEST_TOKEN,
  TRIAGE_TOKEN,
  SCAN: scanId = '',
} = process.env;
const configured = (accessToken: string | undefined) => new Configuration({ basePath, accessToken });
const agent = new AgentIngestApi(configured(INGEST_TOKEN));
const findings = new FindingsApi(configured(TRIAGE_TOKEN));

function check(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

await agent.registerScan({ xOrgSlug, registerScanRequest: { scanId, projectId, persona: 'sharingan' } });
const made = [1, 2, 3, 4, 5].map((n) => ({
  scanId,
  projectId,
  fingerprint: `typescript-${n}`,
  title: `Finding ${n}`,
  severity: 'high' as const,
  description: 'Made by a generated client.',
}));
const pushed = await agent.pushFindings({ xOrgSlug, findingBatch: { findings: made } });
check(pushed.result.created === 5, 'five are created');

const filter = { xOrgSlug, scanId, perPage: 3 };
const first = await findings.listFindings({ ...filter, page: 1 });
const second = await findings.listFindings({ ...filter, page: 2 });
check(first.result.length === 3 && second.result.length === 2, 'five are on two pages');
check(first.resultInfo?.total === 5 && first.resultInfo.hasNext, 'the page says so');
const [row] = first.result;
check(row && 'fingerprint' in row, 'a row is a finding');

const changes = { status: 'confirmed', ifStatus: 'open' } as const;
const changed = await findings.updateFinding({ xOrgSlug, id: row.id, findingChanges: changes });
check(changed.result.status === 'confirmed', 'it is confirmed');

const csv = await findings.exportFindingsCsv({ xOrgSlug, scanId });
check(csv.trim().split('\r\n').length === 6, 'the file has six lines');
