import type { GroupKey } from '../../app/search.ts';

export const GROUP_NAMES: Record<GroupKey, string> = {
  rule: 'Title',
  cve: 'CVE',
  file: 'File',
  project: 'Project',
};
