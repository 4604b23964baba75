import { Modal, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { close } from '#strings/app.ts';
import * as text from '#strings/shell/step-up.ts';
import { lazyNamed } from '../app/late.ts';
import type { Site } from '../app/site.ts';
import { stepUps } from '../app/step-up.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { mfaQuery } from '../profile/queries.ts';

const StepUpForm = lazyNamed(() => import('./StepUpForm.tsx'), 'StepUpForm');

interface Props {
  /** The password that the user has already entered. */
  password: string | undefined;
  site: Site;
}

/**
 * Asks the user for a step-up if the service requires one, then repeats the call. The page keeps its input.
 */
export function StepUpDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal
      opened={opened}
      onClose={() => stepUps.answer(false)}
      title={text.confirmIdentity}
      centered
      // Above the dialog of the call, below the dialog of an ended session.
      zIndex={900}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': close }}
    >
      <Loading {...props} />
    </Modal>
  );
}

const placeholder = (
  <Stack aria-hidden>
    <Skeleton h={40} />
    <Skeleton h={60} />
    <Skeleton h={36} />
  </Stack>
);

function Loading(props: Props) {
  // Read once per dialog, so that its input stays.
  const mfa = useQuery({
    ...mfaQuery,
    queryKey: ['step-up'],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (mfa.isPending) return placeholder;
  if (mfa.isError) return <Problem error={mfa.error} onRetry={() => mfa.refetch()} />;
  return (
    <Suspense fallback={placeholder}>
      <StepUpForm
        {...props}
        hasMfa={mfa.data.mfa_enabled}
        devices={mfa.data.devices.filter(({ verified }) => verified)}
      />
    </Suspense>
  );
}
