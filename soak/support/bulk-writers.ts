import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Api, finding, must, type TestOrg } from '../../tests/support/api/client.ts';

/** A batch of findings that no other request contains. */
interface SentBatch {
  key: string;
  fingerprints: string[];
  body: object;
  /** By fingerprint: the ids that were answered. */
  answered: Map<string, string>;
}

/** A report of findings that no other report contains. */
interface SentReport {
  name: string;
  titles: string[];
  /** The scan that was answered; undefined if the response was lost. */
  scanId: string | undefined;
  /** How often it was sent. */
  sent: number;
}

/** Batches and reports that were sent. Requests without an answer are sent again when they are verified. */
export interface BulkLedger {
  batches: SentBatch[];
  reports: SentReport[];
}

export const openBulkLedger = (): BulkLedger => ({ batches: [], reports: [] });

const BATCH = 50;
const REPORT = 2_000;
/** Longer than the lease of an import, and the time until its end is noticed. */
const ABANDONED_MS = 60_000;
/** The answers to a report whose reading process or database is killed. */
const INTERRUPTED = new Set<string | undefined>([
  'server_error/unavailable',
  'server_error/internal',
  'validation_error/invalid_body',
  'rate_limit_error/exceeded',
]);

/** Sends one batch. @returns its answer */
export async function sendBatch(
  api: Api,
  org: TestOrg,
  scanId: string,
  { batches }: BulkLedger,
): Promise<Answer> {
  const key = randomUUID();
  const fingerprints = Array.from({ length: BATCH }, (_, i) => `batch-${key}-${i}`);
  const findings = fingerprints.map((fingerprint) => finding(org, scanId, { fingerprint }));
  const batch: SentBatch = { key, fingerprints, body: { findings }, answered: new Map() };
  batches.push(batch);
  return await repeat(api, org, batch);
}

async function repeat(api: Api, org: TestOrg, { key, body, fingerprints, answered }: SentBatch) {
  const headers = { 'idempotency-key': key };
  const answer = await api.post('/agent/findings/batch', { ...org.asAgent, headers, body });
  const results: { id?: string }[] = answer.result?.results ?? [];
  for (const [i, { id }] of results.entries()) if (id) answered.set(fingerprints[i] as string, id);
  return answer;
}

/** Sends one report. @returns its answer; undefined if the import was interrupted */
export async function sendReport(
  api: Api,
  org: TestOrg,
  { reports }: BulkLedger,
): Promise<Answer | undefined> {
  const name = `import-${randomUUID()}`;
  const titles = Array.from({ length: REPORT }, (_, i) => `${name} ${i}`);
  const report: SentReport = { name, titles, scanId: undefined, sent: 0 };
  reports.push(report);
  return await importAgain(api, org, report);
}

async function importAgain(api: Api, org: TestOrg, report: SentReport): Promise<Answer | undefined> {
  report.sent++;
  const body = JSON.stringify({ findings: report.titles.map((title) => ({ title, severity: 'Low' })) });
  const query = `project_id=${org.projectId}&name=${report.name}`;
  const answer = await api.post(`/agent/reports?${query}`, { ...org.asAgent, body });
  if (answer.status === 201) report.scanId = answer.result.scan.scan_id;
  return answer.status !== 201 && INTERRUPTED.has(answer.error) ? undefined : answer;
}

interface Row {
  id: string;
  fingerprint: string;
  title: string;
  seen_count: number;
}

/** Sends what was not answered again, then verifies all batches and reports. @returns what is lost, duplicated or miscounted */
export async function findLostBulk(api: Api, org: TestOrg, bulk: BulkLedger): Promise<string[]> {
  const { batches, reports } = bulk;
  const lost: string[] = [];
  await untilEnded(api, org).catch((error) => lost.push((error as Error).message));
  for (const batch of batches) {
    const before = new Map(batch.answered);
    const answer = await repeat(api, org, batch);
    if (answer.status !== 200 || answer.result.failed > 0) lost.push(`batch ${batch.key}: ${answer.text}`);
    for (const [print, id] of before)
      if (batch.answered.get(print) !== id) lost.push(`the id of ${print} has changed`);
  }
  for (const report of reports.filter(({ scanId }) => scanId === undefined)) {
    const answer = await importAgain(api, org, report);
    if (answer?.status !== 201) lost.push(`${report.name}: ${answer?.text ?? 'interrupted'}`);
  }
  const rows: Row[] = must(await api.get('/findings', org.asOwner));
  const byPrint = groupBy(rows, 'fingerprint');
  const byTitle = groupBy(rows, 'title');
  const expectOne = (what: string, found: Row[] | undefined, maxSeen: number) => {
    const [row] = found ?? [];
    if (!row || found?.length !== 1) lost.push(`${what}: ${found?.length ?? 0} findings`);
    else if (row.seen_count < 1 || row.seen_count > maxSeen)
      lost.push(`${what}: seen ${row.seen_count} times, sent ${maxSeen} times`);
  };
  for (const { fingerprints } of batches)
    for (const print of fingerprints) expectOne(print, byPrint.get(print), 1);
  for (const { titles, sent } of reports)
    for (const title of titles) expectOne(title, byTitle.get(title), sent);
  const scans: { scan_id: string; status: string; summary?: { total: number } }[] = must(
    await api.get('/scans', org.asOwner),
  );
  for (const { name, scanId, titles } of reports) {
    const scan = scans.find(({ scan_id }) => scan_id === scanId);
    if (scan?.status !== 'completed' || scan.summary?.total !== titles.length)
      lost.push(`the scan of ${name}: ${JSON.stringify(scan)}`);
  }
  return lost;
}

function groupBy(rows: readonly Row[], field: 'fingerprint' | 'title'): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row[field]);
    if (group) group.push(row);
    else groups.set(row[field], [row]);
  }
  return groups;
}

/** Waits until no scan of a report is running. @throws Error if one is left */
async function untilEnded(api: Api, org: TestOrg): Promise<void> {
  for (const deadline = Date.now() + ABANDONED_MS; ; await sleep(500)) {
    const scans: { name: string; status: string }[] = must(
      await api.get('/scans?status=running', org.asOwner),
    );
    const left = scans.filter(({ name }) => name.startsWith('import-'));
    if (left.length === 0) return;
    if (Date.now() > deadline) throw new Error(`${left.length} scans of reports are left running`);
  }
}
