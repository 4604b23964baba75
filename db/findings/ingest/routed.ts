import type { TransactionSql } from '../../pool/query.ts';
import type { OrgTables } from '../../schema/org.ts';
import { SEVERITIES, type Severity } from '../../schema/values.ts';
import { arrayText, listText } from '../../statements.ts';
import type { Batch, PushRow, WrittenRow } from './push.ts';
import { storedOf } from './push-sql.ts';
import {
  addEvents,
  addRecords,
  addRefs,
  addRuleChanges,
  addSightings,
  addTold,
  type CountChange,
  changeCounts,
  type InsertedRow,
  insertPushes,
  type LockedScan,
  lockStatement,
  type PushEvent,
  type Told,
} from './routed-statements.ts';

/** A push, with its scan if that is registered and the finding if it was written. */
interface Push {
  row: PushRow;
  actorId: string;
  scan: LockedScan | undefined;
  finding: InsertedRow | undefined;
}

const keyOf = ({ project_id, fingerprint }: { project_id: string; fingerprint: string }) =>
  `${project_id} ${fingerprint}`;

/** Scans or projects changed between the two first statements: the transaction is repeated. */
const changedMeanwhile = () =>
  Object.assign(new Error('scans have changed between two statements'), { code: '40001' });

/**
 * Writes a batch for Citus, as statements that each go to the worker of the organization. The one statement for PostgreSQL
 * (`statement.ts`) has several parts that write. Citus runs each of them separately, with intermediate results on all workers, so
 * that pushes of all organizations fail while a worker is down. Both write the same rows and lock them in the same order.
 *
 * The second statement is sent with the first one, so it does not know what that has found: it reads scans and policies itself.
 * If they differ, nothing is written, and the caller repeats the transaction.
 * @returns no rows if another version of the policies is stored
 */
export async function writeRouted(
  tx: TransactionSql,
  tables: OrgTables,
  batch: Batch,
): Promise<WrittenRow[]> {
  const { rows, actorIds, now, version } = batch;
  const given = rows.map((row) => ({ ...row, actor_id: actorIds[row.actor - 1] as string }));
  const scanIds = listText([...new Set(rows.map(({ scan_id }) => scan_id))]);
  const [found, inserted] = await Promise.all([
    lockStatement(tables).run(tx, { scanIds, actorIds: arrayText(actorIds), now }),
    insertPushes(tx, tables, given, version),
  ]);
  const moving = new Set(found.filter(({ moves }) => moves).map(({ scan_id }) => scan_id));
  const locked = found.filter(({ moves }) => !moves);
  const scans = new Map(locked.map((scan) => [scan.scan_id, scan]));
  const findings = new Map(inserted.map((finding) => [keyOf(finding), finding]));
  const pushes = given.map((row): Push => {
    const scan = scans.get(row.scan_id);
    const finding = scan?.project_id === row.project_id ? findings.get(keyOf(row)) : undefined;
    return { row, actorId: row.actor_id, scan, finding };
  });
  const expected = pushes.filter(({ row, scan }) => scan?.project_id === row.project_id);
  const written = expected.filter(({ finding }) => finding);
  const isOther = locked.some((scan) => version !== null && scan.version !== version);
  if (version !== null && inserted.length === 0 && (isOther || expected.length > 0)) return [];
  if (isOther || written.length < expected.length || written.length < inserted.length)
    throw changedMeanwhile();
  // If the transfer of a project is cancelled, a repeated request writes the pushes to it.
  await recordEffects(tx, tables, pushes, (scanId) => !moving.has(scanId));
  return pushes.map(toWrittenRow);
}

const toWrittenRow = ({ row, scan, finding }: Push): WrittenRow => ({
  ord: row.ord,
  scan_status: scan?.status ?? null,
  proposed: scan ? !scan.tracked : null,
  deduplicated: finding?.deduplicated ?? null,
  known: finding?.deduplicated ? storedOf(finding) : null,
});

/** Writes what follows from written pushes, after the last finding is locked. */
async function recordEffects(
  tx: TransactionSql,
  tables: OrgTables,
  pushes: readonly Push[],
  isRecorded: (scanId: string) => boolean,
): Promise<void> {
  const written = pushes.flatMap(({ row, actorId, finding }) => (finding ? [{ row, actorId, finding }] : []));
  const ruled = written.flatMap(
    ({ row: { decided_by: rule_id }, finding: { id: finding_id, deduplicated } }) =>
      rule_id && !deduplicated ? [{ rule_id, finding_id }] : [],
  );
  const refs = pushes.flatMap(({ finding, scan }) =>
    finding && scan?.series_id
      ? [
          {
            ...{ finding_id: finding.id, series_id: scan.series_id },
            ...{ last_seen_at: finding.last_seen_at, last_scan_id: scan.scan_id },
          },
        ]
      : [],
  );
  const sightings = written.flatMap(({ finding: { id: finding_id, scan_id, last_scan_id } }) =>
    scan_id === last_scan_id ? [] : [{ scan_id: last_scan_id, finding_id }],
  );
  await Promise.all([
    changeCounts(tx, tables, countChanges(written.map(({ finding }) => finding))),
    addEvents(
      tx,
      tables,
      written.flatMap((one) => [...eventsOfPush(one), ...eventsOfRule(one)]),
    ),
    addTold(tx, tables, written.flatMap(toldOf)),
    addRuleChanges(tx, tables, ruled),
    addSightings(tx, tables, sightings),
    addRefs(tx, tables, refs),
    addRecords(
      tx,
      tables,
      pushes.flatMap(({ row: { key, position, claimed_at, scan_id }, scan, finding }) =>
        key === undefined || !isRecorded(scan_id)
          ? []
          : [
              {
                ...{ key, position: position as number, created_at: claimed_at as string },
                ...{ has_scan: scan !== undefined, finding_id: finding?.id, status: finding?.status },
                ...{ deduplicated: finding?.deduplicated, regressed: finding?.regressed },
              },
            ],
      ),
    ),
  ]);
}

type Written = { row: PushRow; actorId: string; finding: InsertedRow };

const hasMoved = (finding: InsertedRow): boolean =>
  finding.severity !== finding.severity_before ||
  finding.regressed !== finding.regressed_before ||
  finding.proposed !== finding.proposed_before;

/** The changes of counts, by severity and regression before and after. */
function countChanges(findings: readonly InsertedRow[]): CountChange[] {
  const changes = new Map<string, CountChange>();
  const add = (
    { project_id, status }: InsertedRow,
    sign: number,
    was: { severity: string; regressed: boolean | null; proposed: boolean | null },
  ) => {
    const { severity, regressed, proposed } = was;
    const key = `${project_id} ${severity} ${status}`;
    const change = changes.get(key) ?? { project_id, severity, status, count: 0, regressed: 0, proposed: 0 };
    change.count += sign;
    if (regressed) change.regressed += sign;
    if (proposed) change.proposed += sign;
    changes.set(key, change);
  };
  for (const finding of findings.filter(hasMoved)) {
    const { severity_before: severity, regressed_before: regressed, proposed_before: proposed } = finding;
    add(finding, 1, finding);
    if (severity !== null) add(finding, -1, { severity, regressed, proposed });
  }
  return [...changes.values()].filter((change) => change.count || change.regressed || change.proposed);
}

/** The events of a push that changed a known finding. */
function eventsOfPush({ row, actorId, finding: f }: Written): PushEvent[] {
  if (f.severity_before === null || !hasMoved(f)) return [];
  const event = {
    ...{ finding_id: f.id, at: row.at, push_id: row.id, actor_id: actorId },
    scan_id: row.scan_id,
  };
  const events: PushEvent[] = [];
  if (f.severity !== f.severity_before)
    events.push({ ...event, kind: 'severity', from: f.severity_before, to: f.severity });
  if (f.regressed && !f.regressed_before) events.push({ ...event, kind: 'regressed', from: f.status });
  if (f.proposed_before && !f.proposed) events.push({ ...event, kind: 'merged' });
  if (f.due_at !== f.due_before)
    events.push({ ...event, kind: 'due_at', from: timeText(f.due_before), to: timeText(f.due_at) });
  return events;
}

/** The events of a rule that decided about a new finding. */
function eventsOfRule({ row, finding: { id, deduplicated } }: Written): PushEvent[] {
  const { decided_by: rule_id, scan_id, first_status, first_reason, first_assignee, due_at } = row;
  const { first_accepted_until } = row;
  if (!rule_id || deduplicated) return [];
  const event = { finding_id: id, at: row.at, push_id: row.id, actor_id: rule_id, rule_id, scan_id };
  const events: PushEvent[] = [];
  if (first_status)
    events.push({ ...event, kind: 'status', from: 'open', to: first_status, reason: first_reason ?? null });
  if (first_assignee) events.push({ ...event, kind: 'assignee', to: first_assignee });
  if (first_accepted_until)
    events.push({ ...event, kind: 'accepted_until', to: timeText(first_accepted_until) });
  const ofPolicy = row.due_dates?.[SEVERITIES.indexOf(row.severity as Severity)] ?? null;
  if ((due_at ?? null) !== ofPolicy)
    events.push({ ...event, kind: 'due_at', from: timeText(ofPolicy), to: timeText(due_at) });
  return events;
}

/** The decisions of a rule of which others are told. */
const toldOf = (one: Written): Told[] =>
  eventsOfRule(one).flatMap(({ finding_id, at, kind, rule_id = '' }) => {
    const type =
      kind === 'status' ? 'finding.status_changed' : kind === 'assignee' ? 'finding.assigned' : undefined;
    return type ? [{ finding_id, at, type, rule_id }] : [];
  });

/** A time as PostgreSQL writes it in JSON, in UTC. */
const timeText = (time: string | null | undefined): string | null =>
  time ? new Date(time).toISOString().replace(/\.?0{0,3}Z$/, '+00:00') : null;
