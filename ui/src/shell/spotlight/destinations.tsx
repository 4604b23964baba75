import { Box, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouteContext } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { activity } from '#strings/activity.ts';
import { dueDates } from '#strings/due-dates.ts';
import { retention } from '#strings/retention.ts';
import * as settings from '#strings/settings.ts';
import * as words from '#strings/shell/spotlight.ts';
import { darkMode, lightMode } from '#strings/shell.tsx';
import { useMe, useOrg } from '../../app/session.ts';
import { anchorOf } from '../../components/SectionCard.tsx';
import { savedViewsQuery } from '../../findings/list/views/saved-views.ts';
import { searchOfView } from '../../findings/list/views/view-query.ts';
import { readFindings } from '../../findings/list-queries.ts';
import { SeverityBadge } from '../../findings/Severity.tsx';
import { titleOf } from '../../findings/title.ts';
import { ATTENTION, VIEWS } from '../../findings/views.ts';
import {
  IconBookmark,
  IconBuilding,
  IconExternalLink,
  IconFolder,
  IconFolderPlus,
  IconHistory,
  IconMoon,
  IconSearch,
  IconSettings,
  IconShieldLock,
  IconSun,
  IconUser,
  IconUserPlus,
  IconWand,
} from '../../icons/icons.ts';
import { membersQuery } from '../../members/queries.ts';
import { projectsQuery } from '../../projects/queries.ts';
import { pagesOf } from '../navigation.ts';

/** A result of the search. */
export interface Destination {
  id: string;
  label: string;
  about?: string;
  icon: ReactNode;
  go: () => void;
}

/** The minimum number of letters to search findings. */
export const MIN_TEXT = 2;
/** The number of results of each kind. */
const SOME = 5;
const FINDINGS = 6;
const ICON = { size: 18, stroke: 1.6, 'aria-hidden': true } as const;

/** Whether the names contain every word of a text. */
const matches = (text: string, ...names: string[]): boolean => {
  const all = names.join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
};

/**
 * Finds the results for a text.
 * @param text as typed
 * @param settled the text after a pause
 * @param openDialog opens a dialog in place of the search
 */
export function useDestinations(text: string, settled: string, openDialog: (dialog: PaletteDialog) => void) {
  const pages = usePages().filter(({ label }) => matches(text, label));
  const views = useViews().filter(({ label }) => matches(text, label));
  const actions = useActions(openDialog).filter(({ label }) => matches(text, label));
  const sections = useSettings().filter(({ label }) => text !== '' && matches(text, label, words.settings));
  const members = useMembers(text)
    .filter(({ label, about = '' }) => text !== '' && matches(text, label, about))
    .slice(0, SOME);
  const projects = useProjects()
    .filter(({ label, about }) => matches(text, label, about))
    .slice(0, SOME);
  const orgs = useOrgs()
    .filter(({ label, about }) => matches(text, label, about))
    .slice(0, SOME);
  const { found, isSearching, error } = useFindings(text, settled);
  const groups: { name: string; items: Destination[] }[] = [
    { name: words.pages, items: pages },
    { name: words.views, items: views },
    { name: words.actions, items: actions },
    { name: words.projects, items: projects },
    { name: words.members, items: members },
    { name: words.settings, items: sections },
    { name: words.organizations, items: orgs },
    // Last, because they arrive late and must not move the other results.
    { name: words.findings, items: found },
  ];
  return { groups: groups.filter(({ items }) => items.length > 0), isSearching, error };
}

function usePages(): Destination[] {
  const org = useOrg();
  const { slug, may } = org;
  const navigate = useNavigate();
  const others = [
    { to: '/o/$org/activity' as const, label: activity },
    ...(may('listAudit') ? [{ to: '/o/$org/audit' as const, label: settings.auditLog }] : []),
  ].map((page) => ({ ...page, Icon: IconHistory }));
  return [
    ...[...pagesOf(org), ...others].map(({ to, label, Icon }) => ({
      id: to,
      label,
      icon: <Icon {...ICON} />,
      go: () => void navigate({ to, params: { org: slug } }),
    })),
    {
      id: '/profile',
      label: words.profile,
      icon: <IconUser {...ICON} />,
      go: () => void navigate({ to: '/profile' }),
    },
    {
      id: '/profile/mfa',
      label: words.mfaAndSecurity,
      icon: <IconShieldLock {...ICON} />,
      go: () => void navigate({ to: '/profile/mfa' }),
    },
  ];
}

/** The views of the list of findings, then the saved ones. */
function useViews(): Destination[] {
  const org = useOrg();
  const navigate = useNavigate();
  const { data: saved = [] } = useQuery(savedViewsQuery(org));
  return [
    ...VIEWS.map(({ id, label, filter, sort }) => ({ id, label, search: { ...filter, sort } })),
    ...saved.map((view) => ({ id: view.id, label: view.name, search: searchOfView(view) })),
  ].map(({ id, label, search }) => ({
    id: `view ${id}`,
    label,
    icon: <IconBookmark {...ICON} />,
    go: () => void navigate({ to: '/o/$org/findings', params: { org: org.slug }, search }),
  }));
}

/** The sections of the settings of the organization. */
function useSettings(): Destination[] {
  const { slug, isLimited } = useOrg();
  const navigate = useNavigate();
  if (isLimited) return [];
  return SETTINGS.map((title) => ({
    id: `setting ${title}`,
    label: title,
    icon: <IconSettings {...ICON} />,
    go: () => void navigate({ to: '/o/$org/settings', params: { org: slug }, hash: anchorOf(title) }),
  }));
}

const SETTINGS = [
  dueDates,
  retention,
  settings.storage,
  settings.requireMfa,
  settings.orgWideTokens,
  settings.tokenRules,
];

/** The dialogs that the search opens. */
export type PaletteDialog = 'project' | 'member';

/** The actions that are possible on every page. */
function useActions(openDialog: (dialog: PaletteDialog) => void): Destination[] {
  const { slug, may } = useOrg();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  const Scheme = next === 'dark' ? IconMoon : IconSun;
  const actions: (Destination | false)[] = [
    may('createProject') && {
      id: 'new project',
      label: words.newProject,
      icon: <IconFolderPlus {...ICON} />,
      go: () => openDialog('project'),
    },
    may('inviteMember') && {
      id: 'invite member',
      label: words.inviteMember,
      icon: <IconUserPlus {...ICON} />,
      go: () => openDialog('member'),
    },
    may('createRule') && {
      id: 'new rule',
      label: words.newRule,
      icon: <IconWand {...ICON} />,
      go: () => void navigate({ to: '/o/$org/rules/new', params: { org: slug } }),
    },
    {
      id: 'scheme',
      label: next === 'dark' ? darkMode : lightMode,
      icon: <Scheme {...ICON} />,
      go: () => setColorScheme(next),
    },
    {
      id: 'api',
      label: words.apiDocumentation,
      icon: <IconExternalLink {...ICON} />,
      go: () => location.assign('/api/v1/docs'),
    },
  ];
  return actions.filter((action) => action !== false);
}

/** Members, with their unresolved findings. They are read once something is typed. */
function useMembers(text: string): Destination[] {
  const org = useOrg();
  const navigate = useNavigate();
  const { data = [] } = useQuery({ ...membersQuery(org), enabled: text !== '' });
  return data.map(({ user_id, name, email }) => ({
    id: `member ${user_id}`,
    label: words.assignedTo(name),
    about: email,
    icon: <IconUser {...ICON} />,
    go: () =>
      void navigate({
        to: '/o/$org/findings',
        params: { org: org.slug },
        search: { ...ATTENTION, assignee: user_id },
      }),
  }));
}

function useProjects() {
  const org = useOrg();
  const navigate = useNavigate();
  const { data = [] } = useQuery(projectsQuery(org));
  return data.map(({ id, name, slug }) => ({
    id,
    label: name,
    about: slug,
    icon: <IconFolder {...ICON} />,
    go: () => void navigate({ to: '/o/$org/projects/$slug', params: { org: org.slug, slug } }),
  }));
}

function useOrgs() {
  const { orgs } = useMe();
  const { slug } = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  return orgs
    .filter((one) => one.slug !== slug)
    .map((one) => ({
      id: one.id,
      label: words.switchTo(one.name),
      about: one.slug,
      icon: <IconBuilding {...ICON} />,
      // A page load clears the data of the other organization.
      go: () => location.assign(site.orgUrl(one.slug)),
    }));
}

function useFindings(text: string, settled: string) {
  const { slug, api } = useOrg();
  const navigate = useNavigate();
  const isAsked = text.length >= MIN_TEXT;
  const isSettled = settled === text;
  const { data, isFetching, error } = useQuery({
    queryKey: ['org', slug, 'findings', 'by-text', settled],
    queryFn: async ({ signal }) => (await readFindings({ api }, { q: settled }, 1, FINDINGS, signal)).rows,
    enabled: isAsked && isSettled,
  });
  const all: Destination = {
    id: 'all-findings',
    label: words.searchFindings(text),
    icon: <IconSearch {...ICON} />,
    go: () => void navigate({ to: '/o/$org/findings', params: { org: slug }, search: { q: text } }),
  };
  const hits = (isSettled && data) || [];
  const found = hits.map(
    ({ id, title, severity, file }, index): Destination => ({
      id,
      label: titleOf(title),
      ...(file !== undefined && { about: file }),
      icon: (
        <Box w="5.25rem">
          <SeverityBadge severity={severity} />
        </Box>
      ),
      go: () =>
        void navigate({
          to: '/o/$org/findings/$id',
          params: { org: slug, id },
          search: { q: text, at: index + 1 },
        }),
    }),
  );
  return {
    found: isAsked ? [all, ...found] : [],
    isSearching: isAsked && (!isSettled || isFetching),
    error: isAsked && isSettled ? error : null,
  };
}
