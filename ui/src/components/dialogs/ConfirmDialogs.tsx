import { ModalsProvider, modals } from '@mantine/modals';
import { useEffect } from 'react';
import { questions } from './confirm.ts';
import { openerNow, returnFocus } from './use-focus-return.ts';

/** Shows the questions of `openConfirm`. */
export function ConfirmDialogs() {
  return (
    <ModalsProvider>
      <Ready />
    </ModalsProvider>
  );
}

function Ready() {
  // The provider listens once it is rendered.
  useEffect(
    () =>
      questions.show((question) => {
        const opener = openerNow();
        modals.openConfirmModal({
          ...question,
          onClose() {
            question.onClose?.();
            returnFocus(opener);
          },
        });
      }),
    [],
  );
  return null;
}
