import { useInterval } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type CSSProperties, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { membersQuery } from '../../members/queries.ts';
import { projectsQuery } from '../../projects/queries.ts';
import type { TriageState } from '../../triage/use-triage.ts';
import type { FindingFilter } from '../list-queries.ts';
import { ALL, viewOf } from '../views.ts';
import { type COLUMNS, minWidth, template } from './columns/columns.ts';
import { decisionsOf } from './decisions.ts';
import classes from './FindingsGrid.module.css';
import { GridHead } from './GridHead.tsx';
import { Grid, RowGroup } from './grid-parts.tsx';
import type { News } from './live/compare.ts';
import { useToldNews } from './live/use-told-news.ts';
import { NoFindings } from './NoFindings.tsx';
import { Row, useRowActions } from './Row.tsx';
import { span } from './rows/positions.ts';
import { useFollowed, visibleRows } from './rows/use-followed.ts';
import { useKeptPlace, useStart } from './rows/use-place.ts';
import { useRows } from './rows/use-rows.ts';
import { useVirtualRows } from './rows/use-virtual-rows.ts';
import { BulkBar, coversHead } from './selection/BulkBar.tsx';
import { createSelection, useSelectionSize } from './selection/selection.ts';
import { useBulk } from './selection/use-bulk.ts';
import { useGridKeys } from './use-grid-keys.ts';

interface Props {
  filter: FindingFilter;
  page: number;
  columns: typeof COLUMNS;
  /** Whether each finding has two lines. */
  card: boolean;
  /** Whether rows have as little height as possible. */
  compact: boolean;
  triage: TriageState;
  /** Whether the organization has no findings; undefined while this is not known. */
  isEmpty: boolean | undefined;
  /** Called with the total; null if it is unknown. */
  onTotal(total: number | undefined | null): void;
  /** Called with the changes that are not shown yet, and a function that shows them. */
  onNews(news: News | undefined, show: () => void): void;
}

/** Time in which the list scrolls to a row. A row that it has not reached yet counts as visible. */
const SETTLED_MS = 500;

/** The virtualized list: it has the height of all findings and renders the visible rows. */
export function FindingsGrid({
  filter,
  page,
  columns,
  card,
  compact,
  triage,
  isEmpty,
  onTotal,
  onNews,
}: Props) {
  const org = useOrg();
  const navigate = useNavigate();
  const mayTriage = org.may('updateFindings');
  const projects = useQuery(projectsQuery(org)).data;
  const members = useQuery({
    ...membersQuery(org),
    enabled: columns.some(({ id }) => id === 'assignee'),
  }).data;
  const names = useMemo(
    () => ({
      projects: new Map(projects?.map(({ id, name }) => [id, name])),
      members: new Map(members?.map(({ user_id, name, email }) => [user_id, name || email])),
    }),
    [projects, members],
  );
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 60_000, { autoInvoke: true });

  const start = useStart(filter, page);
  const [active, setActive] = useState(start.active);
  const [touched, setTouched] = useState(start.back);
  const [total, setTotal] = useState<number>();
  const { scroller, virtualizer, height, head, count, at } = useVirtualRows({
    total,
    active,
    start,
    card,
    compact,
  });
  const items = virtualizer.getVirtualItems();
  const { startIndex: first, endIndex: last } = virtualizer.range ?? {
    startIndex: start.top,
    endIndex: start.top + 20,
  };
  const rows = useRows(filter, [first, last]);
  if (rows.total !== total) setTotal(rows.total);
  const said = rows.error && rows.total === undefined ? null : rows.total;
  useLayoutEffect(() => onTotal(said), [said, onTotal]);

  const topRow = Math.max(0, Math.floor((virtualizer.scrollOffset ?? 0) / height + 0.01));
  useKeptPlace(filter, page, { top: total === undefined ? start.top : topRow, active: at });

  const focusActive = () => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${at}"]`);
    row?.focus({ preventScroll: true });
    return row != null;
  };

  // Restores the scroll position once rows exist.
  const placed = useRef(false);
  /** The row that gets the focus as soon as it is rendered. */
  const wantsFocus = useRef(start.back ? start.active : undefined);
  useLayoutEffect(() => {
    if (placed.current || count === 0) return;
    placed.current = true;
    virtualizer.scrollToOffset(start.top * height);
    const shown = (scroller.current?.clientHeight ?? 0) / height - 1;
    if (start.active < start.top || start.active > start.top + shown - 1) {
      virtualizer.scrollToIndex(start.active, { align: 'center' });
    }
  });
  const { unfollow, followStaying } = useFollowed(rows, { at, count, touched }, (moved) => {
    setActive(moved);
    if (document.activeElement?.closest('[data-index]')) wantsFocus.current = moved;
    virtualizer.scrollToOffset((virtualizer.scrollOffset ?? 0) + (moved - at) * height);
  });
  // A new order moves the visible rows.
  const sort = filter.sort ?? ALL.sort;
  const sorted = useRef(sort);
  useLayoutEffect(() => {
    if (sorted.current === sort) return;
    sorted.current = sort;
    unfollow();
    virtualizer.scrollToOffset(0);
    setActive(0);
  }, [sort, virtualizer, unfollow]);
  useLayoutEffect(() => {
    if (wantsFocus.current !== at) return;
    if (focusActive()) wantsFocus.current = undefined;
  });

  const wentAt = useRef(0);
  const go = (index: number | undefined) => {
    if (count === 0) return;
    wentAt.current = performance.now();
    const next = index ?? topRow;
    wantsFocus.current = next;
    setTouched(true);
    setActive(next);
    virtualizer.scrollToIndex(next, { align: 'auto' });
    if (next === at) focusActive();
  };
  const open = (index: number) => {
    const finding = rows.rowNow(index);
    if (!finding) return;
    navigate({
      to: '/o/$org/findings/$id',
      params: { org: org.slug, id: finding.id },
      search: { ...filter, at: index + 1 },
    });
  };

  const [selection] = useState(createSelection);
  const selected = useSelectionSize(selection);
  const visible = Math.max(1, visibleRows(scroller.current, head, height));
  const inView = span(topRow, visible, count).flatMap((index) => rows.rowAt(index) ?? []);
  const bulk = useBulk(filter, selection, rows, inView, triage, followStaying);
  const { set, setStatus, decide } = decisionsOf({
    ...{ filter, rows, count, at, triage, bulk, go },
    hasSelection: () => selection.size() > 0,
    isChosen: touched,
  });

  const actions = useRowActions({
    activate(index) {
      wantsFocus.current = undefined;
      setActive(index);
      setTouched(true);
    },
    select: bulk.select,
    setStatus: set,
  });

  const shownIds = span(first, last - first + 1, count).flatMap((index) => rows.rowAt(index)?.id ?? []);
  useToldNews(filter, {
    pages: rows.pages,
    shownIds,
    isPaused: triage.job?.running ?? false,
    onNews,
    onShown() {
      unfollow();
      virtualizer.scrollToOffset(0);
      setActive(0);
      if (touched) wantsFocus.current = 0;
    },
  });

  const far = virtualizer.isScrolling ? undefined : at < topRow || at > last;
  const onKeyDown = useGridKeys({
    activeNow: () => (touched && !(far && performance.now() - wentAt.current > SETTLED_MS) ? at : undefined),
    count,
    visible: Math.max(1, visible - 1),
    mayTriage,
    go,
    open,
    select: bulk.select,
    setStatus,
    decide,
    undo: triage.undo,
    clear: bulk.clear,
  });

  if (rows.error && total === undefined) return <Problem error={rows.error} onRetry={rows.retry} />;
  const bar = (
    <BulkBar
      total={total}
      selection={selection}
      bulk={bulk}
      triage={triage}
      failure={rows}
      onFocusLost={focusActive}
    />
  );
  const covered = coversHead(selected, triage, bulk);
  const style = {
    '--columns': card ? `${mayTriage ? 2.75 : 0.75}rem 1fr` : template(columns, mayTriage, compact),
    '--min-width': card ? '0' : minWidth(columns, compact),
  } as CSSProperties;
  const shared = {
    height,
    columns,
    card,
    compact,
    names,
    now,
    org: org.slug,
    filter,
    selection,
    mayTriage,
    actions,
  };
  return (
    <div className={total === 0 ? undefined : classes.frame}>
      {total === 0 && <NoFindings filter={filter} isEmpty={isEmpty} />}
      {/* At the same place in both cases, so that open details stay open. */}
      {bar}
      {total !== 0 && (
        <Grid
          ref={scroller}
          aria-label="Findings"
          aria-rowcount={total === undefined ? -1 : total + 1}
          aria-multiselectable={mayTriage}
          aria-busy={rows.busy}
          className={`${classes.scroller} ${touched ? classes.touched : ''}`}
          style={style}
          tabIndex={-1}
          onKeyDown={onKeyDown}
        >
          <RowGroup className={classes.heads}>
            <GridHead
              columns={columns}
              card={card}
              sort={sort}
              usual={viewOf(filter)?.sort ?? ALL.sort}
              onSort={(sort) =>
                navigate({
                  to: '/o/$org/findings',
                  params: { org: org.slug },
                  search: { ...filter, sort },
                  resetScroll: false,
                })
              }
              mayTriage={mayTriage}
              selection={selection}
              inView={inView}
              covered={covered}
            />
          </RowGroup>
          <RowGroup
            className={classes.body}
            style={{ height: count === 0 ? '100%' : virtualizer.getTotalSize() - head }}
          >
            {total === undefined && (
              <div className={classes.starting}>
                {span(0, 30, 30).map((i) => (
                  <Row key={i} {...shared} index={i} top={i * height} finding={undefined} active={false} />
                ))}
              </div>
            )}
            {items.map((item) => {
              const finding = rows.rowAt(item.index);
              return (
                <Row
                  key={item.key}
                  {...shared}
                  index={item.index}
                  top={item.start - head}
                  finding={finding}
                  active={item.index === at}
                />
              );
            })}
          </RowGroup>
        </Grid>
      )}
    </div>
  );
}
