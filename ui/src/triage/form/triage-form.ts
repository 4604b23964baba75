import type { Me, OrgSession } from '../../app/session.ts';
import type { Decided, Decision } from '../decision.ts';
import type { UserStatus } from '../statuses.ts';

/** A finding to decide about. In a bulk change, id and title are enough. */
export interface Target extends Decided {
  id: string;
  title: string;
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
  preset: FormPreset;
  /** @param assignee the name of the new assignee */
  onDecide(decision: Decision, assignee?: string): void;
}

let current: FormRequest | undefined;
const listeners = new Set<() => void>();
const set = (next: FormRequest | undefined) => {
  current = next;
  for (const listener of listeners) listener();
};

/** Opens the form. Pages use `decide` of `useTriage`. */
export const openTriageForm = (request: FormRequest): void => set(request);

/** The request, for the component that shows the form. */
export const triageForm = {
  close: (): void => set(undefined),
  current: (): FormRequest | undefined => current,
  subscribe(this: void, listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
