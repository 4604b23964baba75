import { Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import * as text from '#strings/components/forms.ts';
import { openConfirm } from '../dialogs/confirm.ts';

interface Unsaved {
  hasUnsaved(): boolean;
  /** Says what is lost. */
  loss(): ReactNode;
}

/** Asks before the user leaves the page with unsaved values. */
export function useLeaveQuestion(unsaved: Unsaved): void {
  const { history } = useRouter();
  const latest = useRef(unsaved);
  useLayoutEffect(() => {
    latest.current = unsaved;
  });
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: () => latest.current.hasUnsaved(),
        blockerFn: ({ currentLocation, nextLocation }) =>
          currentLocation.pathname !== nextLocation.pathname &&
          latest.current.hasUnsaved() &&
          ask(latest.current.loss()),
      }),
    [history],
  );
}

/** @returns whether the user stays */
const ask = (loss: ReactNode): Promise<boolean> =>
  new Promise((resolve) => {
    openConfirm({
      title: text.leaveWithoutSaving,
      children: <Text size="sm">{loss}</Text>,
      confirm: text.leave,
      cancel: text.stay,
      color: 'red',
      onConfirm: () => resolve(false),
      onClose: () => resolve(true),
    });
  });
