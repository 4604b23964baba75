import { number } from '#strings/language.ts';
import type { FindingSearch } from '../app/search.ts';
import { OrgAnchor } from '../components/links.tsx';
import { ALL } from '../findings/views.ts';
import { DAY_MS, type DayRange, dateOf } from './range.ts';

interface Props {
  count: number;
  search: FindingSearch;
  /** Whether it is in a sentence, where colour alone does not tell links. */
  isInText?: boolean;
}

/** A number of findings, as a link to the list of them. */
export function NumberLink({ count, search, isInText = false }: Props) {
  if (count === 0) return number(count);
  return (
    <OrgAnchor
      to="/o/$org/findings"
      search={{ ...ALL, ...search }}
      inherit
      underline={isInText ? 'always' : 'hover'}
    >
      {number(count)}
    </OrgAnchor>
  );
}

/** A time from which and one before which something happened: dates, or times (RFC 3339). */
interface Period {
  start: string;
  end: string;
}

/** The days of a range. */
export const periodOf = ({ from, to }: DayRange): Period => ({
  start: from,
  end: dateOf(Date.parse(to) + DAY_MS),
});

/** The findings that the metrics count as found in a period. */
export const foundIn = ({ start, end }: Period) =>
  ({ found_after: start, found_before: end, proposed: false }) satisfies FindingSearch;

/** The findings that the metrics count as resolved in a period. */
export const resolvedIn = ({ start, end }: Period) =>
  ({ resolved_after: start, resolved_before: end }) satisfies FindingSearch;
