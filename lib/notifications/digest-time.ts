const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const MONDAY = 1;

/** The time of a clock in a zone, as milliseconds since 1970 of a clock in UTC that shows the same. */
type Local = number;

const formatOf = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', calendar: 'gregory', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });

/** Whether this runtime knows a time zone by its name. Offsets such as `+01:00` are no names. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** The clock of a time zone. One that this runtime does not know, because another runtime stored it, is UTC. */
export function zoneClock(timeZone: string): (at: number) => Local {
  if (!isTimeZone(timeZone)) return (at) => at;
  const format = formatOf(timeZone);
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  };
}

/**
 * The first moment at which a clock shows a time. If it never does, because it is put forward over that time, the moment of the change.
 */
function momentOf(local: Local, localOf: (at: number) => Local): number {
  const offset = (at: number) => localOf(at) - at;
  // The offsets before and after a change. The first one comes earlier where the clock is put back.
  const [before, after] = [offset(local - DAY_MS), offset(local + DAY_MS)];
  const moments = [local - before, local - after].toSorted((a, b) => a - b);
  const exact = moments.find((at) => localOf(at) === local);
  if (exact !== undefined) return exact;
  // A clock that is put forward by an hour shows 3:00 instead of 2:00, but 3:30 instead of 2:30.
  return local - before;
}

/** When the next daily or weekly mail of a member is sent: at the hour, weekly on Mondays. */
export function nextDigest(
  now: Date,
  time: 'daily' | 'weekly',
  hour: number,
  localOf: (at: number) => Local,
): Date {
  const today = Math.floor(localOf(now.getTime()) / DAY_MS) * DAY_MS;
  for (let day = 0; ; day++) {
    const local = today + day * DAY_MS + hour * HOUR_MS;
    const isDay = time === 'daily' || new Date(local).getUTCDay() === MONDAY;
    const at = isDay ? momentOf(local, localOf) : 0;
    if (at > now.getTime()) return new Date(at);
  }
}
