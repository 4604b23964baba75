import type { Ingest } from '../../db/findings/ingest/ingest.ts';
import { addComment } from '../../db/findings/triage/activity.ts';
import { changeFindings, type FindingChange } from '../../db/findings/triage/triage.ts';
import { createIds, type NewId } from '../../db/ids.ts';
import type { Sql } from '../../db/pool/query.ts';
import { insertScan } from '../../db/scans/scans.ts';
import { SEVERITIES } from '../../db/schema/values.ts';
import { ApiError } from '../errors.ts';
import { noteRisks } from '../findings/triage/triage.ts';
import type { Logger } from '../logger.ts';
import type { Org } from '../orgs/directory.ts';
import { endScan } from '../scans/end.ts';
import { DAY_MS, HOUR_MS, isThere, type Life, type Run, runsUntil } from './history.ts';
import { project, type Schedule, words } from './project.ts';
import { inSource } from './weaknesses.ts';

/*
 * The demo project: about 200 findings of 21 scans in five weeks, and what a team made of them. The functions behind the endpoints
 * write it, with the time at which each thing would have happened.
 */

export const DEMO_NAME = 'Demo shop';
export const DEMO_REF = 'main';

const DAYS = 35;
const SHOP = project({
  name: DEMO_NAME,
  domain: 'shop.example',
  // The last audit was yesterday.
  startDay: 5,
  language: 'typescript',
  ecosystem: 'npm',
  directories: words('src/api src/pages src/jobs apps/admin/src'),
  topics: words('cart checkout search account orders'),
  extension: 'ts',
  manifests: words('package-lock.json apps/admin/package-lock.json'),
  images: words('demo-shop'),
  settings: words('.env.staging ci/deploy.sh'),
  pages: words('/ /search /cart /orders/1041').map((path) => `https://shop.example${path}`),
});

const [AUDIT] = SHOP.schedules as [Schedule, ...Schedule[]];

/** The same audit of a branch, whose findings do not change the state of the project. */
const BRANCH: Schedule = {
  ...AUDIT,
  target: { ...AUDIT.target, ref: 'feature/gift-cards' },
  parts: [{ candidates: inSource('typescript', 'src/api/gift-cards.ts').slice(0, 4), share: 1 }],
};
const BRANCH_AGO_MS = 2 * HOUR_MS;

const SCAN_MS = 70_000;
/** Times after an audit at which the team triages, and how many findings at a time. */
const TRIAGED_AFTER_MS = [8 * HOUR_MS + DAY_MS, 12 * HOUR_MS + 4 * DAY_MS];
const TRIAGED = 14;
const ACCEPTED_MS = 90 * DAY_MS;
const DUE_MS = { critical: 7 * DAY_MS, high: 30 * DAY_MS };
/** Pushes that wait at the same time. */
const AT_ONCE = 128;

const COMMENTS = [
  'Reproduced in **staging**. The fix is planned for the next release.',
  'Only the build uses this library, so the priority is lower.',
  'Fixed on a branch; the next scan of `main` should confirm it.',
];

export interface DemoContext {
  org: Org;
  sql: Sql;
  /** Creates the pushes of ids. */
  ingestWith: (nextId: () => NewId) => Ingest;
  log: Logger;
  /** The demo project. */
  projectId: string;
  /** The author of the decisions. */
  actorId: string;
  /** The member to whom some findings are assigned. */
  assigneeId: string | undefined;
  now: Date;
}

interface Known {
  id: string;
  life: Life;
  status: NonNullable<FindingChange['status']>;
  /** Whether a scan verifies its fix. The others wait for it. */
  isVerified?: boolean;
}

/** Fills the demo project. If the call is interrupted, the project has less data. */
export async function fillDemo(context: DemoContext): Promise<void> {
  const { org, sql, log, projectId, actorId, assigneeId, now } = context;
  const { tables } = org;
  let time = 0;
  const nextId = createIds(() => new Date(time));
  const ingest = context.ingestWith(nextId);
  const known = new Map<string, Known>();
  let comments = 0;
  let decided = 0;

  const dayOf = (at: number) =>
    (at - (Math.floor(now.getTime() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS)) / DAY_MS;
  const goTo = (at: number) => {
    time = Math.min(Math.max(time, at), now.getTime());
  };

  async function scan({ at, schedule, failure, lives: all }: Run): Promise<void> {
    const lives = all.filter((life) => isThere(life, dayOf(at)));
    goTo(at);
    const scanId = nextId().id;
    const { name, persona, target } = schedule;
    await insertScan(sql, tables, { scanId, projectId, persona, name, target, now: new Date(time) });
    goTo(at + SCAN_MS);
    for (let first = 0; first < lives.length; first += AT_ONCE)
      await Promise.all(
        lives.slice(first, first + AT_ONCE).map(async (life) => {
          const push = { scan_id: scanId, project_id: projectId, ...life.finding };
          const outcome = await ingest(org, actorId, push);
          if (outcome.kind === 'failed') throw outcome.error;
          if (outcome.kind !== 'written')
            throw new ApiError('resource_error/conflict', {
              message: 'The demo project was removed meanwhile.',
            });
          known.set(life.finding.fingerprint, { id: outcome.id, life, status: outcome.status });
        }),
      );
    await endScan(
      { log, nextId, org, sql },
      {
        ...{ scanId, projectId, now: new Date(time), errorMessage: failure ?? null },
        status: failure ? 'failed' : 'completed',
      },
    );
    if (failure) return;
    const isOfScan = new Set(
      schedule.parts.flatMap(({ candidates }) => candidates.map(({ fingerprint }) => fingerprint)),
    );
    const gone = [...known.values()].filter(
      ({ life, status, isVerified }) =>
        status === 'fixed' &&
        isVerified &&
        isOfScan.has(life.finding.fingerprint) &&
        !isThere(life, dayOf(time)),
    );
    await change(gone.map((one) => ({ one, status: 'verified' })));
  }

  /** Decisions about findings. */
  async function change(decisions: readonly ({ one: Known } & Omit<FindingChange, 'id'>)[]): Promise<void> {
    if (decisions.length === 0) return;
    const changes = decisions.map(({ one, ...decision }) => ({ id: one.id, ...decision }));
    const changer = { now: new Date(time), actorId, changeId: nextId().id, projectId };
    await noteRisks({ now: changer.now, org, sql }, changes);
    await changeFindings(sql, tables, changes, changer);
    for (const { one, status = one.status } of decisions) one.status = status;
  }

  async function triage(at: number): Promise<void> {
    goTo(at);
    const rank = ({ life }: Known) => SEVERITIES.indexOf(life.finding.severity);
    const all = [...known.values()];
    const urgent = all
      .filter(({ status }) => status === 'open')
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, TRIAGED);
    const fixed = all.filter(({ status, life }) => status === 'confirmed' && !isThere(life, dayOf(time)));
    for (const [i, one] of fixed.entries()) one.isVerified = i % 2 > 0;
    await change([
      ...urgent.map((one) => ({ one, ...decisionOf(one.life) })),
      ...fixed.map((one) => ({ one, status: 'fixed' as const })),
    ]);
    const [confirmed] = urgent.filter(({ status }) => status === 'confirmed');
    const body = COMMENTS[comments++];
    if (!confirmed || body === undefined) return;
    const comment = { findingId: confirmed.id, id: nextId().id, actorId, body, mentions: [] };
    await addComment(sql, tables, { ...comment, now: new Date(time).toISOString() });
  }

  function decisionOf({ verdict: status, finding: { severity } }: Life): Omit<FindingChange, 'id'> {
    decided++;
    if (status === 'false_positive')
      return { status, reason: decided % 2 ? 'used_in_tests' : 'not_exploitable' };
    if (status === 'wontfix')
      return {
        status,
        reason: 'risk_accepted',
        accepted_until: new Date(now.getTime() + ACCEPTED_MS).toISOString(),
      };
    const dueMs = DUE_MS[severity as keyof typeof DUE_MS];
    return {
      status,
      ...(dueMs && { due_at: new Date(time + dueMs).toISOString() }),
      ...(decided % 3 === 0 && assigneeId !== undefined && { assignee_id: assigneeId }),
    };
  }

  const onBranch: Run = {
    ...{ at: now.getTime() - BRANCH_AGO_MS, project: SHOP, schedule: BRANCH },
    lives: BRANCH.parts.flatMap(({ candidates }) =>
      candidates.map((finding) => ({
        finding,
        from: 0,
        until: DAYS,
        again: DAYS,
        verdict: 'confirmed' as const,
      })),
    ),
  };
  const runs = [...runsUntil([SHOP], now.getTime(), DAYS), onBranch];
  const triages = runs
    .filter(({ schedule }) => schedule === AUDIT)
    .flatMap(({ at }) => TRIAGED_AFTER_MS.map((after) => at + after))
    .filter((at) => at < now.getTime());
  const events = [
    ...runs.map((run) => ({ at: run.at, happens: () => scan(run) })),
    ...triages.map((at) => ({ at, happens: () => triage(at) })),
  ].sort((a, b) => a.at - b.at);
  for (const { happens } of events) await happens();
}
