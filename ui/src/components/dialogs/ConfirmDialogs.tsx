import { ModalsProvider, modals } from '@mantine/modals';
import { useEffect } from 'react';
import * as text from '#strings/components.ts';
import { type Question, questions } from './confirm.ts';
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
  useEffect(() => {
    const showAll = () => {
      const waiting = questions.get();
      if (waiting.length === 0) return;
      questions.set([]);
      for (const question of waiting) show(question);
    };
    showAll();
    return questions.subscribe(showAll);
  }, []);
  return null;
}

function show({ confirm, cancel = text.cancel, color, onClose, ...question }: Question): void {
  const opener = openerNow();
  modals.openConfirmModal({
    ...question,
    labels: { confirm, cancel },
    confirmProps: color === undefined ? {} : { color },
    onClose() {
      onClose?.();
      returnFocus(opener);
    },
  });
}
