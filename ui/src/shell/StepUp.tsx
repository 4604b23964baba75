import { useSyncExternalStore } from 'react';
import { stepUps } from '../app/step-up.ts';
import { lazyDialog } from '../components/dialogs/lazy-dialog.tsx';

const Dialog = lazyDialog(async () => (await import('./StepUpDialog.tsx')).StepUpDialog);

/** Shows the dialog of a step-up while a call waits for it. */
export function StepUp() {
  const current = useSyncExternalStore(stepUps.subscribe, stepUps.current);
  return <Dialog opened={current !== undefined} password={current?.password} />;
}
