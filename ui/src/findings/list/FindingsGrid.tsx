import { useInterval } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type CSSProperties, useLayoutEffect, useState } from 'react';
import * as text from '#strings/findings/list.tsx';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { isAllowedIn, mayMatch, useAllowedProjects, within } from '../../projects/allowed-projects.ts';
import type { Outcome } from '../../triage/engine/change-statuses.ts';
import type { FormPreset } from '../../triage/form/triage-form.ts';
import { asksReason, type UserStatus } from '../../triage/statuses.ts';
import type { TriageState } from '../../triage/use-triage.ts';
import type { FindingFilter, ListedFinding } from '../list-queries.ts';
import { type ListState, searchOf, withChange } from '../list-state.ts';
import { ALL, leavesList } from '../views.ts';
import { useNames } from './columns/cells.tsx';
import { type COLUMNS, minWidth, template } from './columns/columns.ts';
import classes from './FindingsGrid.module.css';
import { GridHead } from './GridHead.tsx';
import { Grid, RowGroup } from './grid-parts.tsx';
import type { News } from './live/compare.ts';
import { useToldNews } from './live/use-news.ts';
import { NoFindings } from './NoFindings.tsx';
import { type PreviewState, previewOf, useFollowingPreview, usePreviewedRow } from './preview/use-preview.ts';
import { Row, useRowActions } from './Row.tsx';
import { type Held, span } from './rows/positions.ts';
import { useActiveRow } from './rows/use-active-row.ts';
import type { Rows } from './rows/use-rows.ts';
import { BulkBar, coversHead } from './selection/BulkBar.tsx';
import { createSelection, useSelectionSize } from './selection/selection.ts';
import { type Bulk, useBulk } from './selection/use-bulk.ts';
import { useGridKeys } from './use-grid-keys.ts';

interface Props {
  list: ListState;
  page: number;
  columns: typeof COLUMNS;
  /** Whether each finding has two lines. */
  card: boolean;
  /** Whether rows have as little height as possible. */
  compact: boolean;
  triage: TriageState;
  preview: PreviewState;
  /** Whether the organization has no findings; undefined while this is not known. */
  isEmpty: boolean | undefined;
  /** Called with the total, null if it is unknown, and whether more findings match than that. */
  onTotal(total: number | undefined | null, isCapped: boolean): void;
  /** Called with the changes that are not shown yet, and a function that shows them. */
  onNews(news: News | undefined, show: () => void): void;
}

/** The virtualized list: it has the height of all findings and renders the visible rows. */
export function FindingsGrid({
  list,
  page,
  columns,
  card,
  compact,
  triage,
  preview,
  isEmpty,
  onTotal,
  onNews,
}: Props) {
  const { filter, view } = list;
  const org = useOrg();
  const navigate = useNavigate();
  const allowed = useAllowedProjects('updateFindings');
  const mayTriage = mayMatch(filter, allowed);
  const mayChange = (finding: ListedFinding) => isAllowedIn(allowed, finding.project_id);
  const names = useNames(columns);
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 60_000, { autoInvoke: true });

  const active = useActiveRow(filter, page, { card, compact });
  const { rows, total, count, at, first, last, topRow, visible, virtualizer, height, head, go } = active;
  const said = rows.error && total === undefined ? null : total;
  const { isCapped } = rows;
  useLayoutEffect(() => onTotal(said, isCapped), [said, isCapped, onTotal]);

  const open = (index: number) => {
    const finding = rows.rowNow(index);
    if (!finding) return;
    navigate({
      to: '/o/$org/findings/$id',
      params: { org: org.slug, id: finding.id },
      search: { ...searchOf(list), at: index + 1 },
    });
  };

  const [selection] = useState(createSelection);
  const selected = useSelectionSize(selection);
  const inView = span(topRow, visible, count)
    .flatMap((index) => rows.rowAt(index) ?? [])
    .filter(mayChange);
  const bulk = useBulk(
    within(filter, allowed),
    selection,
    {
      total: rows.total,
      // The total counts findings of all projects.
      isCapped: isCapped || allowed !== undefined,
      rowNow(index) {
        const row = rows.rowNow(index);
        return row && mayChange(row) ? row : undefined;
      },
      between: async (...range) => (await rows.between(...range)).filter(mayChange),
    },
    inView,
    triage,
    active.followStaying,
  );
  const { set, setStatus, decide } = decisionsOf({
    ...{ filter, rows, count, at, triage, bulk, go, goBack: active.goBack },
    hasSelection: () => selection.size() > 0,
    isChosen: active.touched,
    mayChange,
  });

  const show = (index: number) => {
    const finding = rows.rowNow(index);
    if (finding) preview.show(finding.id);
  };
  const actions = useRowActions({
    activate: active.activate,
    // Cards leave no space for a preview.
    show: card ? open : show,
    select: bulk.select,
    setStatus: set,
  });
  useFollowingPreview(preview, active.touched ? rows.rowAt(at)?.id : undefined);
  usePreviewedRow(preview, filter.sort ?? ALL.sort, active);

  const shownIds = span(first, last - first + 1, count).flatMap((index) => rows.rowAt(index)?.id ?? []);
  useToldNews(filter, {
    pages: rows.pages,
    shownIds,
    isPaused: triage.job?.running ?? false,
    onNews,
    onShown: active.restart,
  });

  const onKeyDown = useGridKeys({
    activeNow: active.now,
    count,
    visible: Math.max(1, visible - 1),
    mayTriage,
    go,
    open,
    select: bulk.select,
    setStatus,
    decide,
    undo: triage.undo,
    preview: preview.id === undefined ? show : preview.close,
    leave: preview.id === undefined ? bulk.clear : preview.close,
  });

  if (rows.error && total === undefined) return <Problem error={rows.error} onRetry={rows.retry} />;
  const bar = (
    <BulkBar
      total={total}
      isCapped={isCapped || allowed !== undefined}
      selection={selection}
      bulk={bulk}
      triage={triage}
      failure={rows}
      onFocusLost={active.focus}
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
    list,
    selection,
    mayTriage,
    allowed,
    actions,
  };
  return (
    <div className={total === 0 ? undefined : classes.frame}>
      {total === 0 && <NoFindings list={list} isEmpty={isEmpty} />}
      {/* At the same place in both cases, so that open details stay open. */}
      {bar}
      {total !== 0 && (
        <Grid
          ref={active.scroller}
          aria-label={text.title}
          aria-rowcount={total === undefined || isCapped ? -1 : total + 1}
          aria-multiselectable={mayTriage}
          aria-busy={rows.busy}
          className={`${classes.scroller} ${active.touched ? classes.touched : ''}`}
          style={style}
          tabIndex={-1}
          onKeyDown={onKeyDown}
        >
          <RowGroup className={classes.heads}>
            <GridHead
              columns={columns}
              card={card}
              sort={filter.sort ?? ALL.sort}
              usual={view.sort}
              onSort={(sort) =>
                navigate({
                  to: '/o/$org/findings',
                  params: { org: org.slug },
                  search: (before) => ({ ...searchOf(withChange(list, { sort })), ...previewOf(before) }),
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
            {virtualizer.getVirtualItems().map((item) => {
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

interface Decisions {
  filter: FindingFilter;
  rows: Pick<Rows, 'rowNow'>;
  /** The number of rows. */
  count: number;
  /** The active row. */
  at: number;
  /** Whether the user has chosen the active row. */
  isChosen: boolean;
  mayChange(finding: ListedFinding): boolean;
  hasSelection(): boolean;
  triage: Pick<TriageState, 'decide' | 'run'>;
  bulk: Pick<Bulk, 'decide' | 'setStatus'>;
  /** Moves to a row; undefined moves to the first visible one. */
  go(index: number | undefined): void;
  /** Goes back to a finding whose decision failed. */
  goBack(finding: Held): void;
}

/** Decisions about the selected findings, or about the active one. */
function decisionsOf(of: Decisions) {
  const { filter, rows, count, at, isChosen, mayChange, hasSelection, triage, bulk, go, goBack } = of;
  const onDone = ({ failed: [failure] }: Outcome) => failure && goBack({ at, id: failure.id });
  const set = (finding: ListedFinding, status: UserStatus) =>
    asksReason(status)
      ? triage.decide([finding], { status }, { onDone })
      : triage.run([{ id: finding.id, title: finding.title, status, if_status: finding.status }], onDone);
  /** Moves on to the next finding. If this one leaves the list, the next one takes its position. */
  const moveOn = (status: UserStatus | undefined) =>
    go(status !== undefined && leavesList(filter, status) ? at : Math.min(at + 1, count - 1));
  /** Opens the form. */
  const decide = (preset?: FormPreset) => {
    if (hasSelection()) return bulk.decide(preset);
    const finding = isChosen ? rows.rowNow(at) : undefined;
    if (!finding) return go(undefined);
    if (!mayChange(finding)) return;
    triage.decide([finding], preset, { onStart: ({ status }) => moveOn(status), onDone });
  };
  const setStatus = (status: UserStatus) => {
    if (hasSelection()) return bulk.setStatus(status);
    if (asksReason(status)) return decide({ status });
    const finding = isChosen ? rows.rowNow(at) : undefined;
    if (!finding) return go(undefined);
    if (!mayChange(finding)) return;
    set(finding, status);
    moveOn(status);
  };
  return { set, setStatus, decide };
}
