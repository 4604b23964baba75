import { useSyncExternalStore } from 'react';
import { lazyDialog } from '../../components/dialogs/lazy-dialog.tsx';
import { triageForm } from './triage-form.ts';

const Dialog = lazyDialog(async () => (await import('./TriageDialog.tsx')).TriageDialog);

/** Shows the form that `openTriageForm` asks for. */
export function TriageForms() {
  const request = useSyncExternalStore(triageForm.subscribe, triageForm.current);
  return <Dialog opened={request !== undefined} request={request} onClose={triageForm.close} />;
}
