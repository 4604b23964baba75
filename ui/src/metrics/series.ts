/** The numbers of a week. The colours are those of `Metrics.module.css`. */
export const SERIES = [
  { name: 'found', label: 'Found', color: 'var(--found)', type: 'bar' },
  { name: 'resolved', label: 'Resolved', color: 'var(--resolved)', type: 'bar' },
  { name: 'open', label: 'Unresolved at the end', color: 'var(--open)', type: 'line', yAxisId: 'right' },
] as const;
