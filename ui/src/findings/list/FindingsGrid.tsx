import { useInterval } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type CSSProperties, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import type { UserStatus } from '../../triage/statuses.ts';
import type { TriageState } from '../../triage/use-triage.ts';
import type { FindingFilter, ListedFinding } from '../list-queries.ts';
import { type COLUMNS, minWidth, template } from './columns.tsx';
import classes from './FindingsGrid.module.css';
import { GridHead } from './GridHead.tsx';
import { Grid, RowGroup } from './grid-parts.tsx';
import { NoFindings } from './NoFindings.tsx';
import { Row, useRowActions } from './Row.tsx';
import { span } from './rows/positions.ts';
import { useFollowed, visibleRows } from './rows/use-followed.ts';
import { useKeptPlace, useStart } from './rows/use-place.ts';
import { useRows } from './rows/use-rows.ts';
import { useVirtualRows } from './rows/use-virtual-rows.ts';
import { BulkBar } from './selection/BulkBar.tsx';
import { createSelection } from './selection/selection.ts';
import { useBulk } from './selection/use-bulk.ts';
import { useGridKeys } from './use-grid-keys.ts';

interface Props {
  filter: FindingFilter;
  page: number;
  columns: typeof COLUMNS;
  /** Whether each finding has two lines. */
  card: boolean;
  triage: TriageState;
  /** Called with the total; null if it is unknown. */
  onTotal(total: number | undefined | null): void;
}

/** The virtualized list: it has the height of all findings and renders the visible rows. */
export function FindingsGrid({ filter, page, columns, card, triage, onTotal }: Props) {
  const org = useOrg();
  const navigate = useNavigate();
  const mayTriage = org.may('updateFindings');
  const projects = useQuery(projectsQuery(org)).data;
  const names = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 60_000, { autoInvoke: true });

  const start = useStart(filter, page);
  const [active, setActive] = useState(start.active);
  const [touched, setTouched] = useState(start.back);
  const [total, setTotal] = useState<number>();
  const { scroller, virtualizer, height, head, count, at } = useVirtualRows({ total, active, start, card });
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
  const unfollow = useFollowed(rows, { at, count, touched }, (moved) => {
    setActive(moved);
    if (document.activeElement?.closest('[data-index]')) wantsFocus.current = moved;
    virtualizer.scrollToOffset((virtualizer.scrollOffset ?? 0) + (moved - at) * height);
  });
  // A new order moves the visible rows.
  const sort = filter.sort ?? '-created_at';
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

  const go = (index: number | undefined) => {
    if (count === 0) return;
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
  const bulk = useBulk(filter, selection, rows, triage);
  const set = (finding: ListedFinding, status: UserStatus) =>
    triage.run([{ id: finding.id, title: finding.title, status }]);
  const setStatus = (status: UserStatus) => {
    if (selection.size() > 0) return bulk.setStatus(status);
    const finding = touched ? rows.rowNow(at) : undefined;
    if (!finding) return go(undefined);
    set(finding, status);
    // If the finding leaves the list, the next one takes its position.
    if (filter.status?.includes(status) !== false) go(Math.min(at + 1, count - 1));
    else go(at);
  };

  const actions = useRowActions({
    activate(index) {
      wantsFocus.current = undefined;
      setActive(index);
      setTouched(true);
    },
    select: bulk.select,
    setStatus: set,
  });

  const visible = Math.max(1, visibleRows(scroller.current, head, height));
  const inView = span(topRow, visible, count).flatMap((index) => rows.rowAt(index) ?? []);
  const far = virtualizer.isScrolling ? undefined : at < topRow || at > last;
  const onKeyDown = useGridKeys({
    active: touched && !far ? at : undefined,
    count,
    visible: Math.max(1, visible - 1),
    mayTriage,
    go,
    open,
    select: bulk.select,
    setStatus,
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
  if (total === 0) {
    return (
      <>
        <NoFindings filter={filter} />
        {bar}
      </>
    );
  }
  const style = {
    '--columns': card ? `${mayTriage ? 2.75 : 0.75}rem 1fr` : template(columns, mayTriage),
    '--min-width': card ? '0' : minWidth(columns),
  } as CSSProperties;
  const shared = { height, columns, card, now, org: org.slug, filter, selection, mayTriage, actions };
  return (
    <div className={classes.frame}>
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
                projectName={finding && names.get(finding.project_id)}
              />
            );
          })}
        </RowGroup>
      </Grid>
      {bar}
    </div>
  );
}
