import { Checkbox, Skeleton, Text } from '@mantine/core';
import { type MouseEvent, memo, useLayoutEffect, useRef, useState } from 'react';
import * as text from '#strings/findings/list.tsx';
import { LinkAnchor } from '../../components/links.tsx';
import { type AllowedProjects, isAllowedIn } from '../../projects/allowed-projects.ts';
import type { UserStatus } from '../../triage/statuses.ts';
import { FileLocation } from '../FileLocation.tsx';
import type { ListedFinding } from '../list-queries.ts';
import { type ListState, searchOf } from '../list-state.ts';
import { SeverityMark } from '../Severity.tsx';
import { titleOf } from '../title.ts';
import { cell, type Names, Seen, StatusCell } from './columns/cells.tsx';
import type { COLUMNS } from './columns/columns.ts';
import classes from './FindingsGrid.module.css';
import { GridCell, GridRow } from './grid-parts.tsx';
import { type Selection, useSelected } from './selection/selection.ts';

/** The actions of rows. */
interface RowActions {
  activate(this: void, index: number): void;
  /** Shows a finding that was clicked. */
  show(this: void, index: number): void;
  /** Selects or deselects; with `range`, everything since the last selected row. */
  select(this: void, index: number, range: boolean): void;
  setStatus(this: void, finding: ListedFinding, status: UserStatus): void;
}

/** A stable object, so that only changed rows render again. */
export function useRowActions(current: RowActions): RowActions {
  const latest = useRef(current);
  useLayoutEffect(() => {
    latest.current = current;
  });
  const [actions] = useState<RowActions>(() => ({
    activate: (index) => latest.current.activate(index),
    show: (index) => latest.current.show(index),
    select: (index, range) => latest.current.select(index, range),
    setStatus: (finding, status) => latest.current.setStatus(finding, status),
  }));
  return actions;
}

/** Whether a click is meant for the row: not for a link or button in it, not to select text. */
function isOfRow({ target, currentTarget, ...event }: MouseEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  // Clicks in menus also arrive here.
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return target.closest('a, button, input') === null && getSelection()?.isCollapsed !== false;
}

interface Props {
  index: number;
  /** Position and height in pixels. */
  top: number;
  height: number;
  finding: ListedFinding | undefined;
  /** Whether it is the active row. */
  active: boolean;
  columns: typeof COLUMNS;
  /** Whether the row has several lines, for narrow screens. */
  card: boolean;
  /** Whether the row has as little height as possible. */
  compact: boolean;
  names: Names;
  now: number;
  org: string;
  list: ListState;
  selection: Selection;
  mayTriage: boolean;
  /** The projects whose findings the user may change. */
  allowed: AllowedProjects;
  actions: RowActions;
}

/** A row of the list. The element stays when its finding changes, so that it keeps the focus. */
export const Row = memo(function Row(props: Props) {
  const { finding, index, active, top, height, mayTriage, allowed, selection, actions } = props;
  const mayChange = mayTriage && (!finding || isAllowedIn(allowed, finding.project_id));
  const selected = useSelected(selection, finding?.id) && mayChange;
  return (
    <GridRow
      aria-rowindex={index + 2}
      aria-selected={mayChange ? selected : undefined}
      data-index={index}
      data-active={active || undefined}
      data-selected={selected || undefined}
      className={classes.row}
      style={{ height, transform: `translateY(${top}px)` }}
      tabIndex={active ? 0 : -1}
      onFocus={() => actions.activate(index)}
      onClick={(event) => isOfRow(event) && actions.show(index)}
    >
      {finding ? (
        <Cells {...props} finding={finding} mayChange={mayChange} selected={selected} tab={active ? 0 : -1} />
      ) : (
        <GridCell className={classes.waiting} aria-label={text.loadingRow}>
          <Skeleton height="0.75rem" width={`${35 + ((index * 17) % 40)}%`} radius="sm" animate={false} />
        </GridCell>
      )}
    </GridRow>
  );
});

type LoadedProps = Props & {
  finding: ListedFinding;
  mayChange: boolean;
  selected: boolean;
  /** Tab reaches only the active row. */
  tab: number;
};

function Cells(props: LoadedProps) {
  const { finding, index, columns, card, compact, mayChange, selected, tab, actions, now, names, list } =
    props;
  const projectName = names.projects.get(finding.project_id);
  const mark = (event: MouseEvent) => {
    event.stopPropagation();
    actions.select(index, event.shiftKey);
  };
  const title = <Title {...props} />;
  const project = projectName && (
    <bdi className={classes.project} title={projectName}>
      {projectName}
    </bdi>
  );
  const status = (
    <StatusCell
      // An open menu must not change to another finding.
      key={finding.id}
      finding={finding}
      mayTriage={mayChange}
      setStatus={actions.setStatus}
      tabIndex={tab}
    />
  );
  return (
    <>
      {mayChange ? (
        <GridCell className={classes.check} onClick={mark}>
          <Checkbox
            size="xs"
            checked={selected}
            readOnly
            tabIndex={tab}
            aria-label={text.select(titleOf(finding.title))}
          />
        </GridCell>
      ) : (
        <div role="presentation" />
      )}
      {card ? (
        <GridCell className={classes.card}>
          <div className={classes.first}>
            {title}
            <span className={classes.fact}>
              <Seen time={finding.last_seen_at} now={now} isShort />
            </span>
          </div>
          <div className={classes.facts}>
            <SeverityMark severity={finding.severity} />
            {status}
            {list.filter.overdue && cell('due', finding, names, now, compact)}
            {compact && project}
          </div>
          {!compact && (
            <div className={classes.facts}>
              {project}
              {finding.file && (
                <span className={classes.path} title={finding.file}>
                  <bdi dir="ltr">
                    <FileLocation file={finding.file} line={finding.line} />
                  </bdi>
                </span>
              )}
            </div>
          )}
        </GridCell>
      ) : (
        columns.map(({ id }) => (
          <GridCell key={id} className={classes.cell} data-column={id}>
            {id === 'title' ? title : id === 'status' ? status : cell(id, finding, names, now, compact)}
          </GridCell>
        ))
      )}
    </>
  );
}

function Title({ finding, org, list, index, tab, card, compact }: LoadedProps) {
  const { file, line } = finding;
  return (
    <div className={compact && !card ? classes.line : classes.lines}>
      <div className={classes.title}>
        <LinkAnchor
          to="/o/$org/findings/$id"
          params={{ org, id: finding.id }}
          search={{ ...searchOf(list), at: index + 1 }}
          preload={false}
          tabIndex={tab}
          c="inherit"
          size="sm"
          className={classes.link ?? ''}
          title={finding.title}
        >
          <bdi>{titleOf(finding.title)}</bdi>
        </LinkAnchor>
      </div>
      {!card && file && (
        <Text size="xs" c="dimmed" truncate component="div" title={file}>
          <FileLocation file={file} line={line} />
        </Text>
      )}
    </div>
  );
}
