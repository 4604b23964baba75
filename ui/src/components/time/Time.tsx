import { Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { Tip } from '../floating/Tip.tsx';
import { ago } from './ago.ts';
import { dateTime, dayOf } from './dates.ts';

export { dateTime };

/** A relative time, with the exact time as a tooltip. */
export function Ago({ time }: { time: string }) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 60_000, { autoInvoke: true });
  return (
    <Tip label={dateTime(time)}>
      <Text component="time" dateTime={time} inherit span>
        {ago(time, now)}
      </Text>
    </Tip>
  );
}

/** A day, with the exact time as a tooltip. */
export const Day = ({ time }: { time: string }) => (
  <time dateTime={time} title={dateTime(time)}>
    {dayOf(time)}
  </time>
);
