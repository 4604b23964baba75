import * as text from '#strings/findings/list/filters.tsx';
import type { SORTS } from '../../../app/search.ts';

export const SORT_NAMES: Record<(typeof SORTS)[number], string> = text.sorts;
