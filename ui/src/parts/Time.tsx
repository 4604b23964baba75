import { Text, Tooltip } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Such as "3 hours ago". */
export function ago(time: string | Date, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? [undefined, 1];
  return unit ? relative.format(Math.trunc(seconds / size), unit) : 'just now';
}

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
