import * as text from '#strings/shell.tsx';
import type { OrgSession } from '../app/session.ts';
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

/** The pages of an organization. */
const ALL = [
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

/** The pages that concern the organization as a whole. */
const WHOLE: readonly string[] = ['/o/$org/rules', '/o/$org/tokens', '/o/$org/settings'];

/** The pages in the navigation of an organization. Members who reach only assigned projects have no use for the others. */
export const pagesOf = ({ isLimited }: Pick<OrgSession, 'isLimited'>) =>
  ALL.filter(({ to }) => !isLimited || !WHOLE.includes(to));
