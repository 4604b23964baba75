import { Checkbox, UnstyledButton } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import * as text from '#strings/findings/list.tsx';
import { IconArrowDown, IconArrowUp } from '../../icons/icons.ts';

import type { FindingFilter, ListedFinding } from '../list-queries.ts';
import type { COLUMNS, SortKey } from './columns/columns.ts';
import classes from './FindingsGrid.module.css';
import { ColumnHeader, GridRow } from './grid-parts.tsx';
import type { Selection } from './selection/selection.ts';

interface Props {
  columns: typeof COLUMNS;
  card: boolean;
  sort: NonNullable<FindingFilter['sort']>;
  /** The order of the view. */
  usual: NonNullable<FindingFilter['sort']>;
  onSort(sort: NonNullable<FindingFilter['sort']>): void;
  mayTriage: boolean;
  selection: Selection;
  inView: readonly ListedFinding[];
  /** Whether the bar of the selection covers the headers. */
  covered: boolean;
}

/** The column headers, which sort the list. */
export function GridHead({
  columns,
  card,
  sort,
  usual,
  onSort,
  mayTriage,
  selection,
  inView,
  covered,
}: Props) {
  return (
    <GridRow aria-rowindex={1} className={classes.head}>
      {mayTriage ? (
        <ColumnHeader className={classes.check}>
          <SelectInView selection={selection} inView={inView} />
        </ColumnHeader>
      ) : (
        <div role="presentation" />
      )}
      {card ? (
        <ColumnHeader className={classes.column} data-covered={covered || undefined}>
          {text.finding}
        </ColumnHeader>
      ) : (
        columns.map(({ id, label, sort: key }) => (
          <ColumnHeader
            key={id}
            className={classes.column}
            aria-sort={key && ariaSort(sort, key)}
            data-covered={covered || undefined}
          >
            {key ? (
              <UnstyledButton className={classes.sort ?? ''} onClick={() => onSort(next(sort, key, usual))}>
                {label}
                {sort === key ? (
                  <IconArrowUp size={14} aria-hidden />
                ) : (
                  <IconArrowDown size={14} aria-hidden />
                )}
              </UnstyledButton>
            ) : (
              label
            )}
          </ColumnHeader>
        ))
      )}
    </GridRow>
  );
}

const ariaSort = (sort: string, key: SortKey) =>
  sort === `-${key}` ? 'descending' : sort === key ? 'ascending' : 'none';

/** Descending, then ascending, then the order of the view. */
function next(sort: string, key: SortKey, usual: Props['usual']): Props['usual'] {
  if (sort === `-${key}`) return key;
  return sort === key ? usual : `-${key}`;
}

/** Selects or deselects the visible findings. */
function SelectInView({ selection, inView }: Pick<Props, 'selection' | 'inView'>) {
  const count = useSyncExternalStore(
    selection.subscribe,
    () => inView.filter(({ id }) => selection.has(id)).length,
  );
  const all = count > 0 && count === inView.length;
  return (
    <Checkbox
      size="xs"
      checked={all}
      indeterminate={count > 0 && !all}
      onChange={() => selection.set(inView, !all)}
      aria-label={text.selectVisible}
      title={text.selectVisible}
    />
  );
}
