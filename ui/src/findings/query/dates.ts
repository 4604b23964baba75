import * as text from '#strings/findings/query.ts';
import { InvalidValue, type Key, requireAffirmed, setOnce } from './key.ts';

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** A date some days later. A time (RFC 3339) stays as it is. */
function momentOf(value: string, days: number): string {
  const time = /^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN;
  // JavaScript reads 30 February as 2 March.
  const isDay = DATE.test(value);
  if (Number.isNaN(time) || (isDay && dateOf(time) !== value)) throw new InvalidValue(text.noDate(value));
  return isDay ? dateOf(time + days * DAY_MS) : value;
}

type Period = 'found' | 'seen' | 'changed' | 'resolved' | 'unresolved';
const after = (period: Period) => `${period}_after` as const;
const before = (period: Period) => `${period}_before` as const;

/** `found:>=2026-01-31`, `found:<2026-01-31`, a range of days, both included, or `found:7d` for the last days. */
export const period = (name: Period, description: string): Key => ({
  description,
  read([value = ''], isNegated, filters, { now }) {
    requireAffirmed(isNegated);
    const since = dateBefore(now, value);
    if (since !== undefined) {
      setOnce(filters, after(name), since);
      return;
    }
    const [, operator, operand = ''] = /^(>=|<=|>|<)?(.*)$/.exec(value) ?? [];
    const [first = '', last] = operand.split('..');
    if (operator === undefined) {
      const [from, until] = [momentOf(first, 0), momentOf(last ?? first, 1)];
      if (Date.parse(until) <= Date.parse(from)) throw new InvalidValue(text.endsBeforeStart);
      setOnce(filters, after(name), from);
      setOnce(filters, before(name), until);
    } else {
      const isNextDay = operator === '>' || operator === '<=';
      const bound = operator.startsWith('>') ? after(name) : before(name);
      setOnce(filters, bound, momentOf(operand, isNextDay ? 1 : 0));
    }
  },
  write: ({ [after(name)]: from, [before(name)]: until }) => [
    ...(from === undefined ? [] : [`${name}:>=${from}`]),
    ...(until === undefined ? [] : [`${name}:<${until}`]),
  ],
  options: ({ now }) => [
    { value: `>=${dateOf(now.getTime() - 7 * DAY_MS)}`, label: text.last7Days },
    { value: `>=${dateOf(now.getTime() - 30 * DAY_MS)}`, label: text.last30Days },
  ],
});

const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 };

/** The date some time ago, such as `30d`; undefined for another value. */
function dateBefore(now: Date, value: string): string | undefined {
  const [, count, unit = ''] = /^(\d{1,4})([dwmy])$/i.exec(value) ?? [];
  const days = UNIT_DAYS[unit.toLowerCase()];
  return days === undefined ? undefined : dateOf(now.getTime() - Number(count) * days * DAY_MS);
}

/** `older:30d`. It is written as a date, which does not change tomorrow. */
export const age = (name: 'found_after' | 'found_before', description: string): Key => ({
  description,
  read([value = ''], isNegated, filters, { now }) {
    requireAffirmed(isNegated);
    const date = dateBefore(now, value);
    if (date === undefined) throw new InvalidValue(text.noAge(value));
    setOnce(filters, name, date);
  },
  write: () => [],
  options: () => [
    { value: '7d', label: text.in7Days },
    { value: '30d', label: text.in30Days },
    { value: '90d', label: text.in90Days },
  ],
});
