import { Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { DATES } from '#strings/language.ts';
import { Tip } from '../floating/Tip.tsx';
import { ago } from './ago.ts';

const full = new Intl.DateTimeFormat(DATES, { dateStyle: 'medium', timeStyle: 'medium' });

/** Date and time in the time zone of the user. */
export const dateTime = (time: string | Date): string => full.format(new Date(time));

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
