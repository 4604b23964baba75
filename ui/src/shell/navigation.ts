import * as text from '#strings/shell.tsx';
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
} from '../icons/icons.ts';

/** The pages in the navigation of an organization. */
export const PAGES = [
  { to: '/o/$org', label: text.dashboard, Icon: IconLayoutDashboard, exact: true },
  { to: '/o/$org/findings', label: text.findings, Icon: IconBug, exact: false },
  { to: '/o/$org/scans', label: text.scans, Icon: IconRadar, exact: false },
  { to: '/o/$org/projects', label: text.projects, Icon: IconFolder, exact: false },
  { to: '/o/$org/metrics', label: text.metrics, Icon: IconChartLine, exact: false },
  { to: '/o/$org/members', label: text.members, Icon: IconUsers, exact: false },
  { to: '/o/$org/rules', label: text.rules, Icon: IconWand, exact: false },
  { to: '/o/$org/tokens', label: text.apiTokens, Icon: IconKey, exact: false },
  { to: '/o/$org/settings', label: text.settings, Icon: IconSettings, exact: false },
] as const;
