import type { FormPreset } from '../../triage/form/triage-form.ts';
import { asksReason, type UserStatus } from '../../triage/statuses.ts';
import type { TriageState } from '../../triage/use-triage.ts';
import type { FindingFilter, ListedFinding } from '../list-queries.ts';
import { leavesList } from '../views.ts';
import type { Rows } from './rows/use-rows.ts';
import type { Bulk } from './selection/use-bulk.ts';

interface Grid {
  filter: FindingFilter;
  rows: Pick<Rows, 'rowNow'>;
  /** The number of rows. */
  count: number;
  /** The active row. */
  at: number;
  /** Whether the user has chosen the active row. */
  isChosen: boolean;
  hasSelection(): boolean;
  triage: Pick<TriageState, 'decide' | 'run'>;
  bulk: Pick<Bulk, 'decide' | 'setStatus'>;
  /** Moves to a row; undefined moves to the first visible one. */
  go(index: number | undefined): void;
}

/** Decisions about the selected findings, or about the active one. */
export function decisionsOf({ filter, rows, count, at, isChosen, hasSelection, triage, bulk, go }: Grid) {
  const set = (finding: ListedFinding, status: UserStatus) =>
    asksReason(status)
      ? triage.decide([finding], { status })
      : triage.run([{ id: finding.id, title: finding.title, status, if_status: finding.status }]);
  /** Moves on to the next finding. If this one leaves the list, the next one takes its position. */
  const moveOn = (status: UserStatus | undefined) =>
    go(status !== undefined && leavesList(filter, status) ? at : Math.min(at + 1, count - 1));
  /** Opens the form. */
  const decide = (preset?: FormPreset) => {
    if (hasSelection()) return bulk.decide(preset);
    const finding = isChosen ? rows.rowNow(at) : undefined;
    if (!finding) return go(undefined);
    triage.decide([finding], preset, { onStart: ({ status }) => moveOn(status) });
  };
  const setStatus = (status: UserStatus) => {
    if (hasSelection()) return bulk.setStatus(status);
    if (asksReason(status)) return decide({ status });
    const finding = isChosen ? rows.rowNow(at) : undefined;
    if (!finding) return go(undefined);
    set(finding, status);
    moveOn(status);
  };
  return { set, setStatus, decide };
}
