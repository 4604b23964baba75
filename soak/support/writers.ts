import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../tests/support/api/client.ts';
import {
  type Answer,
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  type TestOrg,
  type TestUser,
} from '../../tests/support/api/client.ts';

import { type BulkLedger, findLostBulk, openBulkLedger, sendBatch, sendReport } from './bulk-writers.ts';

/** The writes that the service has acknowledged. All of them have to survive any fault. */
export interface Ledger {
  org: TestOrg;
  /** By fingerprint: the finding's id, and every `seen_count` that was answered. */
  pushed: Map<string, { id: string; seen: number[] }>;
  /** By finding: the last status that was answered, and those asked for since. */
  statuses: Map<string, { answered: string | undefined; asked: string[] }>;
  /** By scan: how it was ended; undefined while it was not answered. */
  scans: Map<string, { answered: string | undefined; asked: string | undefined }>;
  /** By exploit: its finding. */
  exploits: Map<string, string>;
  /** API tokens, in full. */
  tokens: Set<string>;
  users: TestUser[];
  orgs: { id: string; slug: string; ownerId: string }[];
  bulk: BulkLedger;
  /** The number of answered writes. */
  answered: number;
  /** Messages of refusals as `unavailable`, and how often each came. */
  refused: Map<string, number>;
  /** Unexpected responses: neither a success nor `unavailable`. */
  unexpected: string[];
}

/** Makes an organization to write to. */
export async function openLedger(api: Api): Promise<Ledger> {
  return {
    org: await createOrg(api),
    pushed: new Map(),
    statuses: new Map(),
    scans: new Map(),
    exploits: new Map(),
    tokens: new Set(),
    users: [],
    orgs: [],
    bulk: openBulkLedger(),
    answered: 0,
    refused: new Map(),
    unexpected: [],
  };
}

const STATUSES = ['fixed', 'false_positive', 'open'];

/** Pause after a refusal. */
const PAUSE_MS = 25;

/**
 * Writes in all ways at the same time and records the responses, until `signal`. A writer stops when it loses the
 * connection or is refused; `patient` writers try again.
 */
export async function write(
  api: Api,
  ledger: Ledger,
  { signal, patient = false }: { signal: AbortSignal; patient?: boolean },
): Promise<void> {
  const { org } = ledger;
  let refusals = 0;

  /** Notes an answer; @returns whether it was a success */
  function note(answer: Answer): boolean {
    if (answer.status < 300) {
      ledger.answered++;
      return true;
    }
    if (answer.error !== 'server_error/unavailable') ledger.unexpected.push(answer.text);
    const { message } = answer.json.errors[0];
    ledger.refused.set(message, (ledger.refused.get(message) ?? 0) + 1);
    refusals++;
    return false;
  }
  async function over(work: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      const before = refusals;
      const failed = await work().then(
        () => refusals > before,
        () => true,
      );
      if (failed && !patient) return;
      if (failed) await sleep(PAUSE_MS);
    }
  }

  async function push(fingerprint: string, scanId: string): Promise<string | undefined> {
    const body = finding(org, scanId, { fingerprint, description: fingerprint.repeat(20) });
    const answer = await api.post('/agent/findings', { ...org.asAgent, body });
    if (!note(answer)) return undefined;
    const { id, seen_count } = answer.result;
    const known: { id: string; seen: number[] } = ledger.pushed.get(fingerprint) ?? { id, seen: [] };
    known.seen.push(seen_count);
    ledger.pushed.set(fingerprint, known);
    return id;
  }

  async function triage(id: string): Promise<void> {
    const known = ledger.statuses.get(id) ?? { answered: undefined, asked: [] };
    ledger.statuses.set(id, known);
    for (const status of STATUSES) {
      known.asked.push(status);
      const answer = await api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } });
      if (!note(answer)) return;
      known.answered = status;
      known.asked = [];
    }
  }

  async function attach(id: string): Promise<void> {
    const body = { filename: 'poc.py', language: 'python', code: 'print(1)' };
    const answer = await api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body });
    if (note(answer)) ledger.exploits.set(answer.result.id, id);
  }

  async function scan(): Promise<void> {
    const scanId = randomUUID();
    const body = { scan_id: scanId, project_id: org.projectId, persona: 'sharingan' };
    if (!note(await api.post('/agent/scans', { ...org.asAgent, body }))) return;
    const entry: { answered: string | undefined; asked: string | undefined } = {
      answered: undefined,
      asked: undefined,
    };
    ledger.scans.set(scanId, entry);
    const [id] = await Promise.all([push(randomUUID(), scanId), push(`common-${Math.random() * 5}`, scanId)]);
    if (id) await Promise.all([triage(id), attach(id)]);
    entry.asked = Math.random() < 0.5 ? 'completed' : 'failed';
    const ended = await api.patch(`/agent/scans/${scanId}`, {
      ...org.asAgent,
      body: { status: entry.asked },
    });
    if (note(ended)) entry.answered = entry.asked;
  }

  async function makeToken(): Promise<void> {
    const path = `/projects/${org.projectId}/tokens`;
    const answer = await api.post(path, { ...org.asOwner, body: { name: 'ci' } });
    if (note(answer)) ledger.tokens.add(answer.result.token);
    await sleep(20);
  }

  async function register(): Promise<void> {
    ledger.users.push(await createUser(api));
    ledger.answered++;
  }

  async function makeOrg(): Promise<void> {
    const slug = `org-${randomUUID().slice(0, 13)}`;
    const answer = await api.post('/orgs', { cookie: org.owner.cookie, body: { name: slug, slug } });
    if (note(answer)) ledger.orgs.push({ id: answer.result.id, slug, ownerId: org.owner.id });
  }

  async function importReport(): Promise<void> {
    const answer = await sendReport(api, org, ledger.bulk);
    if (answer) note(answer);
    else refusals++;
  }

  const scanId = await createScan(api, org);
  let pushes = 0;
  const pushAll = () => {
    const n = pushes++;
    return push(n % 3 === 0 ? `shared-${n % 7}` : `own-${n}`, scanId);
  };
  await Promise.all([
    ...Array.from({ length: 12 }, () => over(pushAll)),
    ...Array.from({ length: 3 }, () => over(scan)),
    over(makeToken),
    over(register),
    over(register),
    over(makeOrg),
    over(makeOrg),
    ...Array.from({ length: 2 }, () =>
      over(async () => note(await sendBatch(api, org, scanId, ledger.bulk))),
    ),
    over(importReport),
  ]);
}

/** Reads everything that was acknowledged as users and agents. @returns what is missing or incomplete */
export async function findLost(api: Api, ledger: Ledger): Promise<string[]> {
  const { org } = ledger;
  const lost = await findLostBulk(api, org, ledger.bulk);
  const miss = (what: string) => void lost.push(what);

  const findings = must(await api.get('/findings', org.asOwner)) as {
    id: string;
    fingerprint: string;
    status: string;
    seen_count: number;
  }[];
  const byPrint = new Map(findings.map((row) => [row.fingerprint, row]));
  const byId = new Map(findings.map((row) => [row.id, row]));
  for (const [print, { id, seen }] of ledger.pushed) {
    const row = byPrint.get(print);
    if (row?.id !== id) miss(`finding ${print}: ${row?.id} instead of ${id}`);
    else if (row.seen_count < Math.max(...seen)) miss(`sightings of ${print}: ${row.seen_count} of ${seen}`);
    if (new Set(seen).size < seen.length) miss(`sightings of ${print}, counted once: ${seen}`);
  }
  for (const [id, { answered = 'open', asked }] of ledger.statuses) {
    const status = byId.get(id)?.status ?? '';
    if (status !== answered && !asked.includes(status)) miss(`status of ${id}: ${status}, not ${answered}`);
  }

  const scans = must(await api.get('/scans', org.asOwner)) as {
    id: string;
    status: string;
    finding_count: number;
    summary?: { total: number };
  }[];
  const scanById = new Map(scans.map((row) => [row.id, row]));
  for (const [id, { answered, asked }] of ledger.scans) {
    const row = scanById.get(id);
    const allowed = answered ? [answered] : ['running', asked];
    if (!row || !allowed.includes(row.status)) miss(`scan ${id}: ${row?.status}, not ${allowed}`);
    if (row?.summary && row.summary.total !== row.finding_count) miss(`summary of scan ${id}`);
  }

  for (const [exploit, findingId] of ledger.exploits) {
    const { result } = await api.get(`/findings/${findingId}/exploits`, org.asOwner);
    if (!result?.some(({ id }: { id: string }) => id === exploit)) miss(`an exploit of ${findingId}`);
  }
  for (const token of ledger.tokens) {
    const path = `/agent/findings?project_id=${org.projectId}&per_page=1`;
    const { status } = await api.get(path, { token, org: org.slug });
    if (status !== 200) miss(`a token: ${status}`);
  }
  for (const { email, cookie } of ledger.users) {
    const me = await api.get('/auth/me', { cookie });
    if (me.result?.user?.email !== email || me.result?.orgs?.length !== 1) miss(`user ${email}: ${me.text}`);
  }
  for (const { id, slug } of ledger.orgs) {
    const found = await api.get('/dashboard/stats', { cookie: org.owner.cookie, org: slug });
    const shown = await api.get(`/orgs/${slug}`, { cookie: org.owner.cookie });
    if (found.status !== 200 || shown.result?.id !== id) miss(`organization ${slug}: ${found.text}`);
  }
  return lost;
}
