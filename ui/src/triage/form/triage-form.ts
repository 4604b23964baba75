import type { Me, OrgSession } from '../../app/session.ts';
import { createStore } from '../../app/store.ts';
import type { Decided, Decision } from '../decision.ts';
import type { UserStatus } from '../statuses.ts';

/** A finding to decide about. In a bulk change, id and title are enough. The project narrows down the assignees. */
export interface Target extends Decided {
  id: string;
  title: string;
  project_id?: string;
}

/** The initial values of the form. */
export interface FormPreset {
  status?: UserStatus;
  /** The field that gets the focus. */
  focus?: 'assignee' | 'due' | 'note';
}

/** A decision that the user is asked for. */
export interface FormRequest {
  org: OrgSession;
  user: Pick<Me['user'], 'id' | 'name'>;
  findings: readonly Target[];
  /** How many findings it is about, if they are not listed. */
  count?: number;
  /** Their project, if they are not listed and the filter names one. */
  projectId?: string | undefined;
  preset: FormPreset;
  /** @param assignee the name of the new assignee */
  onDecide(decision: Decision, assignee?: string): void;
}

/** The request for the form, which is open while there is one. Pages use `decide` of `useTriage`. */
export const triageForm = createStore<FormRequest | undefined>(undefined);
