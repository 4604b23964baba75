import { undoChange } from '../../../db/findings/changes/undo.ts';
import { findAppliedChanges, undoDecisions } from '../../../db/rules/undo.ts';
import { ApiError } from '../../errors.ts';
import { undoableSince } from '../../findings/triage/changes.ts';
import type { OrgCall } from '../call.ts';
import { runExpensive } from '../lists/search.ts';

/** The findings of a transaction. */
const CHUNK = 500;
/** Changes that are looked up at once. */
const PAGE = 20;

/** Where an undo continues: behind a change of a finding that exists, or behind a finding that was decided about when it was pushed. */
interface Position {
  among: 'changes' | 'findings';
  /** Null for the first one. */
  before: string | null;
}

const START: Position = { among: 'changes', before: null };
const POSITION = /^(changes|findings)(?:\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$/;

/** @throws ApiError `validation_error/field_invalid` */
export function parsePosition(text: string | undefined): Position {
  if (text === undefined) return START;
  const [, among, before = null] = POSITION.exec(text) ?? [];
  if (among === undefined) {
    const details = [{ field: 'after', message: 'must be the `next` of a response' }];
    throw new ApiError('validation_error/field_invalid', { details });
  }
  return { among: among as Position['among'], before };
}

const positionText = ({ among, before }: Position): string =>
  before === null ? among : `${among}.${before}`;

interface Undone {
  restored: number;
  /** Findings that somebody has changed since. */
  skipped: number;
  next?: string;
}

/**
 * Undoes what a rule has changed, the latest first: changes by applying it, then what it decided in pushes. Each part is a
 * transaction. If one fails after others have succeeded, the result has what was undone, and `next`.
 * @param limit about how many findings
 */
export async function undoRule(
  call: OrgCall,
  ruleId: string,
  { limit, after }: { limit: number; after: Position },
): Promise<Undone> {
  const { actor, c, log, now, org, services, sql } = call;
  const { signal } = c.req.raw;
  const undone = { restored: 0, skipped: 0 };
  let position: Position | undefined = after;
  while (position && undone.restored + undone.skipped < limit && !signal.aborted) {
    const from: Position = position;
    try {
      const undo = () => (from.among === 'changes' ? undoApplied(from) : undoPushed(from));
      position = await runExpensive(call, undo, 'This organization changes too many findings at a time.');
    } catch (error) {
      if (from === after) throw error;
      if (!signal.aborted) log.warn('the undo of a rule was interrupted', { org: org.id, ...undone, error });
      break;
    }
  }
  return { ...undone, ...(position && { next: positionText(position) }) };

  /** How many findings the next transaction may have. */
  function roomOf({ restored, skipped }: Undone): number {
    return Math.min(CHUNK, limit - restored - skipped);
  }

  function by() {
    return { actorId: actor.id, changeId: services.nextId().id, now: now.toISOString() };
  }

  /** Undoes changes until they have as many findings as a transaction. */
  async function undoApplied({ before }: Position): Promise<Position> {
    const room = roomOf(undone);
    const part = { ruleId, before, limit: PAGE, since: undoableSince(now) };
    const changes = await findAppliedChanges(sql, org.tables, part);
    let last = before;
    let done = 0;
    for (const { id, findings } of changes) {
      if (done > 0 && done + findings > room) break;
      const found = await undoChange(sql, org.tables, { ...by(), id });
      undone.restored += found.filter(({ conflicts }) => !conflicts).length;
      undone.skipped += found.filter(({ conflicts }) => conflicts).length;
      done += findings;
      last = id;
    }
    return changes.length === 0 ? { among: 'findings', before: null } : { among: 'changes', before: last };
  }

  async function undoPushed({ before }: Position): Promise<Position | undefined> {
    const room = roomOf(undone);
    const part = { ruleId, before, limit: room, ...by() };
    const { found, restored, last } = await undoDecisions(sql, org.tables, part);
    undone.restored += restored;
    undone.skipped += found - restored;
    return found < room ? undefined : { among: 'findings', before: last };
  }
}
