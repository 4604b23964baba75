// biome-ignore-all lint/a11y/useSemanticElements: table elements cannot be positioned freely, and rows out of view are not rendered.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid moves the focus between its rows.
import type { ComponentProps } from 'react';

type Props = ComponentProps<'div'>;

/* The parts of a grid that renders only the visible rows. */

export const Grid = (props: Props) => <div role="grid" {...props} />;
export const RowGroup = (props: Props) => <div role="rowgroup" {...props} />;
export const GridRow = (props: Props) => <div role="row" {...props} />;
export const ColumnHeader = (props: Props) => <div role="columnheader" {...props} />;
export const GridCell = (props: Props) => <div role="gridcell" {...props} />;
