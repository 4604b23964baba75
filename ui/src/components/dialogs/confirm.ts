import type { ReactNode } from 'react';
import { createStore } from '../../app/store.ts';

export interface Question {
  title: ReactNode;
  children: ReactNode;
  /** The label of the button that confirms. */
  confirm: string;
  /** The label of the other button, if it is not “Cancel”. */
  cancel?: string;
  /** The colour of the button that confirms. */
  color?: string;
  onConfirm(): void;
  onClose?(): void;
}

/** The questions that are not shown yet. */
export const questions = createStore<readonly Question[]>([]);

/** Asks the user to confirm an action. */
export const openConfirm = (question: Question): void => questions.set([...questions.get(), question]);
