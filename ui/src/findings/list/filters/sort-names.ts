import type { SORTS } from '../../../app/search.ts';

export const SORT_NAMES: Record<(typeof SORTS)[number], string> = {
  '-priority': 'Priority',
  priority: 'Lowest priority first',
  '-created_at': 'Newest first',
  created_at: 'Oldest first',
  '-last_seen_at': 'Most recently seen first',
  last_seen_at: 'Least recently seen first',
  '-severity': 'Most severe first',
  severity: 'Least severe first',
  '-cvss_score': 'Highest CVSS first',
  cvss_score: 'Lowest CVSS first',
  due_at: 'Due first',
  '-due_at': 'Due last',
};
