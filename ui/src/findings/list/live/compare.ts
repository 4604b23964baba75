/** The fields of a finding whose changes are announced. */
interface Row {
  id: string;
  regressed: boolean;
}

/** A page of the list. Unknown rows are undefined. */
interface Page<R extends Row> {
  rows: (R | undefined)[];
  total: number;
  /** Whether more findings match than the total. */
  isCapped: boolean;
}

/** Loaded pages of a list by their number. */
export type Pages<R extends Row = Row> = ReadonlyMap<number, Page<R>>;

/** The differences between the rows that are shown and the current ones. */
export interface News {
  /** Findings that are new in the list, without those that have regressed. */
  added: number;
  regressed: number;
  /** Whether both have the same findings in the same order. */
  isSame: boolean;
}

const rowsOf = (pages: Pages) =>
  [...pages.entries()].sort(([a], [b]) => a - b).flatMap(([, { rows }]) => rows);

/** Compares the rows that are shown with the current ones of the same pages. */
export function compare(shown: Pages, current: Pages): News {
  const [before, after] = [rowsOf(shown), rowsOf(current)];
  const totals = [shown, current].map((pages) => pages.values().next().value?.total ?? 0);
  const [totalBefore = 0, totalAfter = 0] = totals;
  const isSame =
    totalBefore === totalAfter &&
    before.length === after.length &&
    after.every((row, i) => row?.id === before[i]?.id);
  if (isSame) return { added: 0, regressed: 0, isSame };
  const known = new Set(before.map((row) => row?.id));
  // After the last known finding, the rows may have moved up from a page that is not loaded.
  const last = after.findLastIndex((row) => row && known.has(row.id));
  const fresh = after.slice(0, last < 0 ? after.length : last).filter((row) => row && !known.has(row.id));
  const regressed = fresh.filter((row) => row?.regressed).length;
  return { added: Math.max(fresh.length, totalAfter - totalBefore) - regressed, regressed, isSame };
}

/** A page with the current content of its findings, in their place. */
export const withContent = <R extends Row>(page: Page<R>, current: ReadonlyMap<string, R>): Page<R> => ({
  ...page,
  rows: page.rows.map((row) => (row && current.get(row.id)) ?? row),
});
