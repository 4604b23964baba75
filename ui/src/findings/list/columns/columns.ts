import * as text from '#strings/findings/list/columns.ts';

/** The sort keys. */
export type SortKey = 'created_at' | 'last_seen_at' | 'severity' | 'cvss_score' | 'due_at';

export type ColumnId =
  | 'severity'
  | 'title'
  | 'status'
  | 'project'
  | 'assignee'
  | 'due'
  | 'cwe'
  | 'cve'
  | 'cvss'
  | 'source'
  | 'rule'
  | 'first_seen'
  | 'last_seen'
  | 'seen_count';

export interface Column {
  id: ColumnId;
  label: string;
  /** In rem. */
  width: number;
  sort?: SortKey;
}

export const COLUMNS: readonly Column[] = [
  { id: 'severity', label: text.labels.severity, width: 6, sort: 'severity' },
  { id: 'title', label: text.labels.title, width: 18 },
  { id: 'status', label: text.labels.status, width: 12.5 },
  { id: 'project', label: text.labels.project, width: 8.5 },
  { id: 'assignee', label: text.labels.assignee, width: 8.5 },
  { id: 'due', label: text.labels.due, width: 8, sort: 'due_at' },
  { id: 'cwe', label: text.labels.cwe, width: 5.75 },
  { id: 'cve', label: text.labels.cve, width: 9 },
  { id: 'cvss', label: text.labels.cvss, width: 4.75, sort: 'cvss_score' },
  { id: 'source', label: text.labels.source, width: 7 },
  { id: 'rule', label: text.labels.rule, width: 12 },
  { id: 'first_seen', label: text.labels.first_seen, width: 4.5, sort: 'created_at' },
  { id: 'last_seen', label: text.labels.last_seen, width: 7.75, sort: 'last_seen_at' },
  { id: 'seen_count', label: text.labels.seen_count, width: 6 },
];

export const ALWAYS: readonly ColumnId[] = ['title'];
/** Columns that are shown by default at any width. */
const BASE: readonly ColumnId[] = ['severity', 'title', 'status', 'project', 'last_seen'];
/** Columns that are shown by default beside a preview. */
const BESIDE_PREVIEW: readonly ColumnId[] = ['severity', 'title', 'status'];
/** Columns that are shown by default where there is room for them, in this order. */
const EXTRA: readonly ColumnId[] = ['assignee', 'due', 'first_seen', 'source', 'cwe', 'cvss', 'cve'];
const SHORT_TITLE_REM = 18;
/** Navigation, paddings and selection, in rem. */
const BESIDE_REM = 20;

/** The width of titles, in rem, before further columns are shown: most of what a wider window adds. */
const titleRem = (windowRem: number): number =>
  Math.min(48, Math.max(26, 0.4 * (windowRem - BESIDE_REM) - 2));

/** The width of a preview beside the list, in rem, as in `Preview.module.css`. In narrow windows it covers the list. */
const previewRem = (windowRem: number): number =>
  windowRem < 75 ? 0 : Math.min(46, Math.max(24, 0.36 * (windowRem - BESIDE_REM))) + 1;

/**
 * The columns that fit into a window by default.
 * @param needed further columns without which the list does not say what it is for
 */
export function columnsFor(
  windowRem: number,
  hasPreview = false,
  needed: readonly ColumnId[] = [],
): ColumnId[] {
  const beside = hasPreview ? previewRem(windowRem) : 0;
  const base = [...(beside > 0 ? BESIDE_PREVIEW : BASE), ...needed];
  const extra = [...BASE, ...EXTRA].filter((id) => !base.includes(id));
  const widthOf = (id: ColumnId) =>
    id === 'title'
      ? beside > 0
        ? SHORT_TITLE_REM
        : titleRem(windowRem)
      : (COLUMNS.find((column) => column.id === id)?.width ?? 0);
  let left = windowRem - BESIDE_REM - beside - base.reduce((sum, id) => sum + widthOf(id), 0);
  const fitting = extra.filter((id) => {
    left -= widthOf(id);
    return left >= 0;
  });
  return COLUMNS.map(({ id }) => id).filter((id) => base.includes(id) || fitting.includes(id));
}

export const canBeHidden = (id: ColumnId): boolean => !ALWAYS.includes(id);

/** The width of a column in compact rows, where the severity is a letter. */
const widthOf = ({ id, width }: Column, isCompact: boolean) => (isCompact && id === 'severity' ? 5 : width);

/** The widths of the cells of a row. */
export const template = (columns: readonly Column[], selects: boolean, isCompact: boolean): string =>
  [
    ...(selects ? ['2.5rem'] : ['0.75rem']),
    ...columns.map((column) => {
      const width = `${widthOf(column, isCompact)}rem`;
      return column.id === 'title' ? `minmax(${width}, 1fr)` : width;
    }),
  ].join(' ');

export const minWidth = (columns: readonly Column[], isCompact: boolean): string =>
  `${columns.reduce((sum, column) => sum + widthOf(column, isCompact), 2.5)}rem`;
