import { notificationsStore } from '@mantine/notifications';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { whenIdle } from '../app/idle.ts';
import { lateStyles, lazyNamed } from '../app/late.ts';
import type { Site } from '../app/site.ts';
import { stepUps } from '../app/step-up.ts';
import { questions } from '../components/dialogs/confirm.ts';
import { lazyDialog } from '../components/dialogs/lazy-dialog.tsx';
import { triageForm } from '../triage/form/triage-form.ts';
import { SessionEnded } from './SessionEnded.tsx';

const loadToasts = () => import('./Toasts.tsx');
const Toasts = lazyNamed(loadToasts, 'Toasts');

/** Loads the code of toasts ahead: they tell that the server cannot be reached. The first toast repeats a load that failed. */
const loadAhead = () => void Promise.all([loadToasts(), lateStyles()]).catch(() => {});
const ConfirmDialogs = lazyNamed(() => import('../components/dialogs/ConfirmDialogs.tsx'), 'ConfirmDialogs');

const hasToast = () => notificationsStore.getState().notifications.length > 0;

/** Whether a condition was ever true. */
function useOnce(subscribe: (listener: () => void) => () => void, condition: () => boolean): boolean {
  const [seen, setSeen] = useState(false);
  const now = useSyncExternalStore(subscribe, condition);
  if (now && !seen) setSeen(true);
  return seen;
}

/** Dialogs and notifications. Their code is loaded on first use, and that of toasts when the line is idle. */
export function Overlays({ site }: { site: Site }) {
  const toasts = useOnce(notificationsStore.subscribe, hasToast);
  useEffect(() => whenIdle(loadAhead), []);
  const confirms = useOnce(questions.subscribe, () => questions.get().length > 0);
  return (
    <>
      <Suspense fallback={null}>{toasts && <Toasts />}</Suspense>
      <Suspense fallback={null}>{confirms && <ConfirmDialogs />}</Suspense>
      <TriageForms />
      <StepUp />
      <SessionEnded site={site} />
    </>
  );
}

const StepUpDialog = lazyDialog(() => import('./StepUpDialog.tsx'), 'StepUpDialog');

/** Shows the dialog of a step-up while a call waits for it. */
function StepUp() {
  const current = useSyncExternalStore(stepUps.current.subscribe, stepUps.current.get);
  return <StepUpDialog opened={current !== undefined} password={current?.password} />;
}

const TriageDialog = lazyDialog(() => import('../triage/form/TriageForm.tsx'), 'TriageDialog');

/** Shows the form that `openTriageForm` asks for. */
function TriageForms() {
  const request = useSyncExternalStore(triageForm.subscribe, triageForm.get);
  return (
    <TriageDialog
      opened={request !== undefined}
      request={request}
      onClose={() => triageForm.set(undefined)}
    />
  );
}
