import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import * as text from '#strings/auth/second-factor.tsx';
import { Problem } from '../../components/errors/Problem.tsx';
import { isRefused, type Method } from './second-factor.ts';

/** The time before the user may request another mail. */
const RESEND_MS = 30_000;

interface Props {
  method: Method;
  /** The purpose of the code. */
  purpose: string;
  send: () => Promise<unknown>;
  /** Called when the service no longer mails codes. */
  onExpired?: () => void;
}

/** Requests a mailed code when shown for the first time, and again on request. */
export function MailedCode({ method, purpose, send, onExpired }: Props) {
  const mail = useQuery({
    queryKey: ['mailed-code', purpose, method.id],
    // A query runs once, also if the user returns to this method.
    queryFn: async () => {
      await send();
      return true;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    networkMode: 'always',
  });
  const left = useCountdown(mail.dataUpdatedAt + RESEND_MS);
  const expired = isRefused(mail.error);
  useEffect(() => {
    if (expired) onExpired?.();
  }, [expired, onExpired]);

  if (mail.error) return <Problem error={mail.error} onRetry={() => mail.refetch()} />;
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" role="status">
        {(mail.isFetching ? text.sendingCode : text.codeSent)(<bdi>{method.name}</bdi>)}
      </Text>
      <Button
        variant="subtle"
        size="compact-sm"
        loading={mail.isFetching}
        disabled={left > 0}
        onClick={() => mail.refetch()}
      >
        {left > 0 ? text.sendAgainIn(left) : text.sendAgain}
      </Button>
    </Group>
  );
}

/** The seconds until a time. */
function useCountdown(until: number): number {
  const [now, setNow] = useState(() => Date.now());
  const over = now >= until;
  useEffect(() => {
    if (over) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [over]);
  return Math.max(0, Math.ceil((until - Math.max(now, Date.now())) / 1000));
}
