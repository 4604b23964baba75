import { Alert, Stack } from '@mantine/core';
import { notifications, notificationsStore } from '@mantine/notifications';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import * as text from '#strings/app.ts';
import { whenIdle } from '../app/idle.ts';
import { lateStyles, lazyNamed } from '../app/late.ts';
import { serverWaits } from '../app/server.ts';
import type { Site } from '../app/site.ts';
import { stepUps } from '../app/step-up.ts';
import { questions } from '../components/dialogs/confirm.ts';
import { lazyDialog } from '../components/dialogs/lazy-dialog.tsx';
import { triageForm } from '../triage/form/triage-form.ts';
import { SessionEnded } from './SessionEnded.tsx';

const loadToasts = () => import('./Toasts.tsx');
const Toasts = lazyNamed(loadToasts, 'Toasts');

/** Loads the code of toasts ahead. The first toast repeats a load that failed. */
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

/** Toasts whose code cannot be loaded because the server does not respond, which is what they tell. */
function PlainToasts() {
  const { notifications: shown } = useSyncExternalStore(
    notificationsStore.subscribe,
    notificationsStore.getState,
  );
  const waits = useSyncExternalStore(serverWaits.subscribe, serverWaits.get) > 0;
  return (
    waits && (
      <Stack
        // Where toasts are (`styles.css`).
        className="mantine-Notifications-root"
        gap="md"
        pos="fixed"
        bottom={16}
        right={16}
        w="min(440px, 100vw - 32px)"
        style={{ zIndex: 400 }}
      >
        {shown.map(({ id, title, message }) => (
          <Alert
            key={id}
            variant="default"
            title={title}
            withCloseButton
            closeButtonLabel={text.close}
            onClose={() => id !== undefined && notifications.hide(id)}
          >
            {message}
          </Alert>
        ))}
      </Stack>
    )
  );
}

/** Dialogs and notifications. Their code is loaded on first use, and that of toasts when the line is idle. */
export function Overlays({ site }: { site: Site }) {
  const toasts = useOnce(notificationsStore.subscribe, hasToast);
  useEffect(() => whenIdle(loadAhead), []);
  const confirms = useOnce(questions.subscribe, () => questions.get().length > 0);
  return (
    <>
      <Suspense fallback={<PlainToasts />}>{toasts && <Toasts />}</Suspense>
      <Suspense fallback={null}>{confirms && <ConfirmDialogs />}</Suspense>
      <TriageForms />
      <StepUp site={site} />
      <SessionEnded site={site} />
    </>
  );
}

const StepUpDialog = lazyDialog(() => import('./StepUpDialog.tsx'), 'StepUpDialog');

/** Shows the dialog of a step-up while a call waits for it. */
function StepUp({ site }: { site: Site }) {
  const current = useSyncExternalStore(stepUps.current.subscribe, stepUps.current.get);
  return <StepUpDialog opened={current !== undefined} password={current?.password} site={site} />;
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
