import {
  IconBug,
  IconFlag,
  IconFolder,
  IconKey,
  IconLayoutDashboard,
  IconRadar,
  IconUsers,
} from '@tabler/icons-react';

/** The pages in the navigation of an organization. */
export const PAGES = [
  { to: '/o/$org', label: 'Dashboard', Icon: IconLayoutDashboard, exact: true },
  { to: '/o/$org/findings', label: 'Findings', Icon: IconBug, exact: false },
  { to: '/o/$org/scans', label: 'Scans', Icon: IconRadar, exact: false },
  { to: '/o/$org/projects', label: 'Projects', Icon: IconFolder, exact: false },
  { to: '/o/$org/members', label: 'Members', Icon: IconUsers, exact: false },
  { to: '/o/$org/tokens', label: 'API tokens', Icon: IconKey, exact: false },
  { to: '/o/$org/features', label: 'Features', Icon: IconFlag, exact: false },
] as const;
