import type { modals } from '@mantine/modals';

type Question = Parameters<typeof modals.openConfirmModal>[0];

/** Questions that were asked before the code of dialogs was loaded. */
let waiting: Question[] = [];
let ask = (question: Question): void => {
  waiting = [...waiting, question];
  for (const listener of listeners) listener();
};
const listeners = new Set<() => void>();

/** Asks the user to confirm an action. */
export const openConfirm = (question: Question): void => ask(question);

/** Questions, for the component that shows them. */
export const questions = {
  subscribe(this: void, listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isAsked: (): boolean => waiting.length > 0,
  /** Shows the questions that were asked and those that follow. */
  show(next: (question: Question) => void): void {
    ask = next;
    for (const question of waiting) next(question);
  },
};
