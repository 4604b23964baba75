import { notificationsStore } from '@mantine/notifications';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { late } from '../app/late.ts';
import type { Site } from '../app/site.ts';
import { questions } from '../components/dialogs/confirm.ts';
import { TriageForms } from '../triage/form/TriageForms.tsx';
import { SessionEnded } from './SessionEnded.tsx';
import { StepUp } from './StepUp.tsx';

const Toasts = lazy(late(async () => ({ default: (await import('./Toasts.tsx')).Toasts })));
const ConfirmDialogs = lazy(
  late(async () => ({
    default: (await import('../components/dialogs/ConfirmDialogs.tsx')).ConfirmDialogs,
  })),
);

const hasToast = () => notificationsStore.getState().notifications.length > 0;

/** Whether a condition was ever true. */
function useOnce(subscribe: (listener: () => void) => () => void, condition: () => boolean): boolean {
  const [seen, setSeen] = useState(false);
  const now = useSyncExternalStore(subscribe, condition);
  if (now && !seen) setSeen(true);
  return seen;
}

/** Dialogs and notifications. Their code is loaded on first use. */
export function Overlays({ site }: { site: Site }) {
  const toasts = useOnce(notificationsStore.subscribe, hasToast);
  const confirms = useOnce(questions.subscribe, questions.isAsked);
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
