import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { showError } from '../errors/toasts.ts';
import { openConfirm, type Question } from './confirm.ts';

/** A write without a form. A toast shows its error. */
export const useAction = <Data, Variables = void>(options: UseMutationOptions<Data, Error, Variables>) =>
  useMutation({ onError: showError, ...options });

type Confirmed<Data> = Pick<Question, 'title' | 'children' | 'confirm' | 'color'> &
  UseMutationOptions<Data, Error, void>;

/** A write that the user confirms first: `ask` asks. */
export function useConfirmed<Data>({ title, children, confirm, color, ...options }: Confirmed<Data>) {
  const action = useAction(options);
  const question = { title, children, confirm, ...(color !== undefined && { color }) };
  return { ...action, ask: () => openConfirm({ ...question, onConfirm: () => action.mutate() }) };
}
