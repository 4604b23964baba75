import { ModalsProvider, modals } from '@mantine/modals';
import { useEffect } from 'react';
import { questions } from './confirm.ts';

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
  useEffect(() => questions.show((question) => void modals.openConfirmModal(question)), []);
  return null;
}
