import { Text, Tooltip } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { ago } from './ago.ts';

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Date and time, as it is where the reader is. */
export const dateTime = (time: string | Date): string => full.format(new Date(time));

/** A time as one says it, and exactly for who points at it. */
export function Ago({ time }: { time: string }) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 60_000, { autoInvoke: true });
  return (
    <Tooltip label={dateTime(time)}>
      <Text component="time" dateTime={time} inherit span>
        {ago(time, now)}
      </Text>
    </Tooltip>
  );
}
