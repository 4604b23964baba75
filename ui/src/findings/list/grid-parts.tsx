// biome-ignore-all lint/a11y/useSemanticElements: a table's own elements cannot be placed freely, and leave out those out of view.
// biome-ignore-all lint/a11y/useFocusableInteractive: a grid has one focus at a time, and moves it by itself.
import type { ComponentProps } from 'react';

type Props = ComponentProps<'div'>;

/* The parts of a grid, of which only the rows in view are there. */

export const Grid = (props: Props) => <div role="grid" {...props} />;
export const RowGroup = (props: Props) => <div role="rowgroup" {...props} />;
export const GridRow = (props: Props) => <div role="row" {...props} />;
export const ColumnHeader = (props: Props) => <div role="columnheader" {...props} />;
export const GridCell = (props: Props) => <div role="gridcell" {...props} />;
