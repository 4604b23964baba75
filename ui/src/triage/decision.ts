import type { Schemas } from '../../../lib/client/index.ts';
import type { FindingStatus } from '../app/search.ts';
import type { UserStatus } from './statuses.ts';

export type Reason = NonNullable<Schemas['Finding']['reason']>;

/** The new values of findings. Fields that are left out stay, null removes a value. Times are RFC 3339. */
export interface Decision {
  status?: UserStatus;
  reason?: Reason | null;
  note?: string;
  assignee_id?: string | null;
  due_at?: string | null;
  accepted_until?: string | null;
}

/** A change of a finding. */
export interface Change extends Decision {
  id: string;
  title: string;
  /** The status that the user sees. A finding with another status is not changed. */
  if_status?: FindingStatus;
  /** The name of the assignee, for messages. */
  assignee?: string;
}

/** The fields of a finding that a change sets. */
export interface Decided {
  status?: FindingStatus;
  reason?: Reason;
  assignee_id?: string;
  due_at?: string;
  accepted_until?: string;
}

/** New values as they are displayed. Undo also restores statuses that only agents set, and regressions. */
export type Shown = Omit<Decision, 'status'> & { status?: FindingStatus; regressed?: boolean };

/** A finding after a change, as the service will return it. */
export function decidedBy<Finding extends { status: FindingStatus } & Decided>(
  finding: Finding,
  { status, reason, assignee_id, due_at, accepted_until }: Shown,
): Finding {
  const isNew = status !== undefined && status !== finding.status;
  const next: Finding = { ...finding, ...(status && { status }) };
  const fields = {
    reason: reason === undefined && isNew ? null : reason,
    accepted_until: accepted_until === undefined && isNew ? null : accepted_until,
    assignee_id,
    due_at,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) delete next[name as keyof Decided];
    else if (value !== undefined) Object.assign(next, { [name]: value });
  }
  return next;
}

/** The part of a change that is sent to the service. */
export const requestOf = ({ title: _, assignee: __, ...change }: Change) => change;
