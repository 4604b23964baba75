import { type FindingStatus, UNRESOLVED } from '../../../app/search.ts';
import type { FindingFilter } from '../../list-queries.ts';

/** Statuses that are often looked at together. */
export const PRESETS = [
  { value: 'all', label: 'All', status: undefined },
  { value: 'attention', label: 'Needs attention', status: [...UNRESOLVED] },
  { value: 'fixed', label: 'To verify', status: ['fixed'] },
] as const satisfies readonly { value: string; label: string; status: FindingStatus[] | undefined }[];

/** The preset that a filter shows; empty when it shows none of them. */
export const presetOf = ({ status }: FindingFilter): string =>
  PRESETS.find((preset) => (preset.status ?? []).join() === (status ?? []).join())?.value ?? '';

/** A CWE as people write it, as the API takes it; undefined when it is none. */
export function cweOf(text: string): string | undefined {
  const digits = /^\s*(?:cwe[\s-]*)?(\d{1,9})\s*$/i.exec(text)?.[1];
  return digits && `CWE-${digits}`;
}

/** Whether anything is filtered; the order is no filter. */
export const isFiltered = ({ sort: _, ...filter }: FindingFilter): boolean => Object.keys(filter).length > 0;
