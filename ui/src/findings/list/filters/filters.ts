import { type FindingStatus, UNRESOLVED } from '../../../app/search.ts';
import type { FindingFilter } from '../../list-queries.ts';

/** Combinations of statuses that are often used. */
export const PRESETS = [
  { value: 'all', label: 'All', status: undefined },
  { value: 'attention', label: 'Needs attention', status: [...UNRESOLVED] },
  { value: 'fixed', label: 'To verify', status: ['fixed'] },
] as const satisfies readonly { value: string; label: string; status: FindingStatus[] | undefined }[];

/** The preset of a filter; empty if none matches. */
export const presetOf = ({ status }: FindingFilter): string =>
  PRESETS.find((preset) => (preset.status ?? []).join() === (status ?? []).join())?.value ?? '';

/** Normalizes a CWE for the API; undefined if it is invalid. */
export function cweOf(text: string): string | undefined {
  const digits = /^\s*(?:cwe[\s-]*)?(\d{1,9})\s*$/i.exec(text)?.[1];
  return digits && `CWE-${digits}`;
}

/** Whether a filter is set. The sort order is not a filter. */
export const isFiltered = ({ sort: _, ...filter }: FindingFilter): boolean => Object.keys(filter).length > 0;
