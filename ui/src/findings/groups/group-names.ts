import * as text from '#strings/findings/groups.tsx';
import type { GroupKey } from '../../app/search.ts';

export const GROUP_NAMES: Record<GroupKey, string> = text.names;
