import { Badge, Checkbox, Skeleton, Text } from '@mantine/core';
import { type MouseEvent, memo, useLayoutEffect, useRef, useState } from 'react';
import { LinkAnchor } from '../../components/links.tsx';
import type { UserStatus } from '../../triage/statuses.ts';
import { FilePlace } from '../FilePlace.tsx';
import type { FindingFilter, ListedFinding } from '../list-queries.ts';
import { SeverityBadge } from '../Severity.tsx';
import { type COLUMNS, cell, Seen } from './columns.tsx';
import classes from './FindingsGrid.module.css';
import { GridCell, GridRow } from './grid-parts.tsx';
import { StatusCell } from './StatusCell.tsx';
import { type Selection, useSelected } from './selection/selection.ts';

/** What rows do. */
interface RowActions {
  activate(this: void, index: number): void;
  /** Selects or not; with `range`, everything between it and the row before. */
  select(this: void, index: number, range: boolean): void;
  setStatus(this: void, finding: ListedFinding, status: UserStatus): void;
}

/** The same object as long as the list stays, so that only rows that change are drawn anew. */
export function useRowActions(current: RowActions): RowActions {
  const latest = useRef(current);
  useLayoutEffect(() => {
    latest.current = current;
  });
  const [actions] = useState<RowActions>(() => ({
    activate: (index) => latest.current.activate(index),
    select: (index, range) => latest.current.select(index, range),
    setStatus: (finding, status) => latest.current.setStatus(finding, status),
  }));
  return actions;
}

interface Props {
  index: number;
  /** Where it is, and how tall, in pixels. */
  top: number;
  height: number;
  finding: ListedFinding | undefined;
  /** Whether it is the one that keys act on. */
  active: boolean;
  columns: typeof COLUMNS;
  /** Shown in two lines. */
  card: boolean;
  projectName?: string | undefined;
  now: number;
  org: string;
  filter: FindingFilter;
  selection: Selection;
  mayTriage: boolean;
  actions: RowActions;
}

/** A finding in the list; the element stays, whatever comes to stand in it, so that the focus does. */
export const Row = memo(function Row(props: Props) {
  const { finding, index, active, top, height, mayTriage, selection, actions } = props;
  const selected = useSelected(selection, finding?.id);
  return (
    <GridRow
      aria-rowindex={index + 2}
      aria-selected={mayTriage ? selected : undefined}
      data-index={index}
      data-active={active || undefined}
      data-selected={selected || undefined}
      className={classes.row}
      style={{ height, transform: `translateY(${top}px)` }}
      tabIndex={active ? 0 : -1}
      onFocus={() => actions.activate(index)}
    >
      {finding ? (
        <Cells {...props} finding={finding} selected={selected} tab={active ? 0 : -1} />
      ) : (
        <GridCell className={classes.waiting} aria-label="Loading">
          <Skeleton height="0.75rem" width={`${35 + ((index * 17) % 40)}%`} radius="sm" animate={false} />
        </GridCell>
      )}
    </GridRow>
  );
});

type LoadedProps = Props & {
  finding: ListedFinding;
  selected: boolean;
  /** Only what is in the active row is reached by Tab. */
  tab: number;
};

function Cells(props: LoadedProps) {
  const { finding, index, columns, card, mayTriage, selected, tab, actions, now, projectName } = props;
  const mark = (event: MouseEvent) => {
    event.stopPropagation();
    actions.select(index, event.shiftKey);
  };
  const title = <Title {...props} />;
  const status = (
    <StatusCell
      // A menu must not go over to the finding that takes the place of another.
      key={finding.id}
      finding={finding}
      mayTriage={mayTriage}
      setStatus={actions.setStatus}
      tabIndex={tab}
    />
  );
  return (
    <>
      {mayTriage ? (
        <GridCell className={classes.check} onClick={mark}>
          <Checkbox
            size="xs"
            checked={selected}
            readOnly
            tabIndex={tab}
            aria-label={`Select ${finding.title}`}
          />
        </GridCell>
      ) : (
        <div role="presentation" />
      )}
      {card ? (
        <GridCell className={classes.card}>
          {title}
          <div className={classes.facts}>
            <SeverityBadge severity={finding.severity} />
            {status}
            <span className={classes.fact}>
              <Seen time={finding.last_seen_at} now={now} />
            </span>
            {projectName && <bdi className={classes.fact}>{projectName}</bdi>}
          </div>
        </GridCell>
      ) : (
        columns.map(({ id }) => (
          <GridCell key={id} className={classes.cell} data-column={id}>
            {id === 'title' ? title : id === 'status' ? status : cell(id, finding, projectName, now)}
          </GridCell>
        ))
      )}
    </>
  );
}

function Title({ finding, org, filter, index, tab, card }: LoadedProps) {
  const { file, line } = finding;
  return (
    <>
      <div className={classes.title}>
        <LinkAnchor
          to="/o/$org/findings/$id"
          params={{ org, id: finding.id }}
          search={{ ...filter, at: index + 1 }}
          preload={false}
          tabIndex={tab}
          c="inherit"
          size="sm"
          className={classes.link ?? ''}
          title={finding.title}
        >
          <bdi>{finding.title}</bdi>
        </LinkAnchor>
        {finding.regressed && (
          <Badge size="xs" radius="sm" color="red" variant="light" className={classes.regressed ?? ''}>
            Regressed
          </Badge>
        )}
      </div>
      {!card && file && (
        <Text size="xs" c="dimmed" truncate component="div" title={file}>
          <FilePlace file={file} line={line} />
        </Text>
      )}
    </>
  );
}
