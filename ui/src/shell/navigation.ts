import {
  IconBug,
  IconChartLine,
  IconFolder,
  IconKey,
  IconLayoutDashboard,
  IconRadar,
  IconSettings,
  IconUsers,
  IconWand,
} from '@tabler/icons-react';

/** The pages in the navigation of an organization. */
export const PAGES = [
  { to: '/o/$org', label: 'Dashboard', Icon: IconLayoutDashboard, exact: true },
  { to: '/o/$org/findings', label: 'Findings', Icon: IconBug, exact: false },
  { to: '/o/$org/scans', label: 'Scans', Icon: IconRadar, exact: false },
  { to: '/o/$org/projects', label: 'Projects', Icon: IconFolder, exact: false },
  { to: '/o/$org/metrics', label: 'Metrics', Icon: IconChartLine, exact: false },
  { to: '/o/$org/members', label: 'Members', Icon: IconUsers, exact: false },
  { to: '/o/$org/rules', label: 'Rules', Icon: IconWand, exact: false },
  { to: '/o/$org/tokens', label: 'API tokens', Icon: IconKey, exact: false },
  { to: '/o/$org/settings', label: 'Settings', Icon: IconSettings, exact: false },
] as const;
