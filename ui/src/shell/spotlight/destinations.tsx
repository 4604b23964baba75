import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouteContext } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import * as words from '#strings/shell/spotlight.ts';
import { useMe, useOrg } from '../../app/session.ts';
import { readFindings } from '../../findings/list-queries.ts';
import { SeverityBadge } from '../../findings/Severity.tsx';
import { titleOf } from '../../findings/title.ts';
import { IconBuilding, IconFolder, IconSearch, IconShieldLock, IconUser } from '../../icons/icons.ts';
import { projectsQuery } from '../../projects/queries.ts';
import { PAGES } from '../navigation.ts';

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
 */
export function useDestinations(text: string, settled: string) {
  const pages = usePages().filter(({ label }) => matches(text, label));
  const projects = useProjects()
    .filter(({ label, about }) => matches(text, label, about))
    .slice(0, SOME);
  const orgs = useOrgs()
    .filter(({ label, about }) => matches(text, label, about))
    .slice(0, SOME);
  const { found, isSearching, error } = useFindings(text, settled);
  const groups: { name: string; items: Destination[] }[] = [
    { name: words.pages, items: pages },
    { name: words.projects, items: projects },
    { name: words.organizations, items: orgs },
    // Last, because they arrive late and must not move the other results.
    { name: words.findings, items: found },
  ];
  return { groups: groups.filter(({ items }) => items.length > 0), isSearching, error };
}

function usePages(): Destination[] {
  const { slug } = useOrg();
  const navigate = useNavigate();
  return [
    ...PAGES.map(({ to, label, Icon }) => ({
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
