import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { showError } from '../errors/toasts.ts';
import { openConfirm, type Question } from './confirm.ts';

/** A write without a form. A toast shows its error. */
export const useAction = <Data, Variables = void>(options: UseMutationOptions<Data, Error, Variables>) =>
  useMutation({ onError: showError, ...options });

/** A write that the user confirms first: `ask` asks. */
export function useConfirmed<Data>(
  question: Omit<Question, 'onConfirm' | 'onClose'>,
  options: UseMutationOptions<Data, Error, void>,
) {
  const action = useAction(options);
  return { ...action, ask: () => openConfirm({ ...question, onConfirm: () => action.mutate() }) };
}
