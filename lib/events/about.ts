import type { ChangedFindingRow } from '../../db/events/details.ts';
import type { ScanRow } from '../../db/events/scans.ts';

/** The ids that an event is about. */
export interface EventIds {
  /** The assignees of its findings, or the users whom its comment mentions. */
  users: ReadonlySet<string>;
  /** The projects of its findings, or that of its scan. */
  projects: ReadonlySet<string>;
}

/** Whether a row is about a finding that is assigned now, and by the event if it is an assignment. */
export const isAssigned = (type: string, { assignee_id, to }: ChangedFindingRow): boolean =>
  assignee_id !== null && (type !== 'finding.assigned' || assignee_id === to);

/** The ids that an event of findings or of a scan is about. */
export function idsOf(
  type: string,
  findings: readonly ChangedFindingRow[] = [],
  scan?: ScanRow | undefined,
): EventIds {
  const usersOf = (row: ChangedFindingRow): readonly string[] => {
    if (type === 'finding.commented') return row.mentions ?? [];
    return isAssigned(type, row) && row.assignee_id !== null ? [row.assignee_id] : [];
  };
  const rows = scan ? [scan] : findings;
  return {
    users: new Set(findings.flatMap(usersOf)),
    projects: new Set(rows.map((row) => row.project_id)),
  };
}
