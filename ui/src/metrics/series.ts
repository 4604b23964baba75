import * as text from '#strings/metrics.tsx';

/** The numbers of a week. The colours are those of `Metrics.module.css`. */
export const SERIES = [
  { name: 'found', label: text.found, color: 'var(--found)', type: 'bar' },
  { name: 'resolved', label: text.resolved, color: 'var(--resolved)', type: 'bar' },
  { name: 'open', label: text.unresolvedAtEnd, color: 'var(--open)', type: 'line', yAxisId: 'right' },
] as const;
