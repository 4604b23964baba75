import { Button, Group, Kbd, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import * as text from '#strings/findings/page.tsx';
import { useOrg } from '../../app/session.ts';
import { Tip } from '../../components/floating/Tip.tsx';
import { isTaken, useShortcuts, useShortcutsOn } from '../../components/keyboard/shortcuts.ts';
import { OrgButton } from '../../components/links.tsx';
import { IconArrowLeft, IconChevronLeft, IconChevronRight } from '../../icons/icons.ts';
import { exploitsQuery, findingQuery, placeQuery } from '../finding-queries.ts';
import {
  type FindingFilter,
  findingsPageQuery,
  PAGE_ROWS,
  pageOf,
  rememberFinding,
} from '../list-queries.ts';
import { searchOf, stateOf } from '../list-state.ts';
import classes from './Finding.module.css';

interface Props extends Walk {
  /** Further buttons. */
  children?: ReactNode;
}

/** Links to the list from which a finding was opened, and to the previous and next finding. */
export function ListNav({ children, ...walk }: Props) {
  const { id, filter, at } = walk;
  const org = useOrg();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const neighbours = useNeighbours(walk);
  const here = neighbours?.place;
  const params = { org: org.slug, id };
  const { view } = useSearch({ strict: false });
  const search = searchOf(stateOf({ ...filter, ...(view && { view }) }));

  const go = (to: Neighbour | undefined) =>
    to &&
    (() =>
      navigate({
        to: '/o/$org/findings/$id',
        params: { ...params, id: to.id },
        search: { ...search, at: to.at },
        // Back returns to the list.
        replace: true,
      }));
  useShortcuts({ j: go(neighbours?.next), k: go(neighbours?.previous) });

  const list = {
    ...search,
    ...(at !== undefined && at > PAGE_ROWS && { page: Math.ceil(at / PAGE_ROWS) }),
  };
  const leave = () => navigate({ to: '/o/$org/findings', params: { org: org.slug }, search: list });
  // Menus and dialogs take the key first.
  useHotkeys([['Escape', (event) => isTaken(event) || leave(), { preventDefault: false }]], []);

  useEffect(() => {
    if (here === undefined || here === at) return;
    navigate({
      to: '/o/$org/findings/$id',
      params: { org: org.slug, id },
      search: { ...filter, ...(view && { view }), at: here },
      replace: true,
    });
  }, [here, at, id, org.slug, filter, view, navigate]);
  useEffect(() => {
    if (at !== undefined) rememberFinding(queries, org, filter, at);
  }, [at, queries, org, filter]);

  return (
    <Group justify="space-between" gap="xs" data-print-hidden className={classes.top ?? ''}>
      <OrgButton
        to="/o/$org/findings"
        search={list}
        aria-keyshortcuts="Escape"
        variant="subtle"
        size="compact-md"
        leftSection={<IconArrowLeft size={16} aria-hidden />}
        ml={-8}
      >
        {at === undefined ? text.allFindings : text.backToList}
        <Kbd size="xs" ml={6} aria-hidden visibleFrom="sm">
          {text.escapeKey}
        </Kbd>
      </OrgButton>
      <Group gap="xs" className={classes.tools ?? ''}>
        {at !== undefined && (
          <Group component="nav" gap="xs" aria-label={text.findingsInList}>
            <Text size="sm" c="dimmed" role="status">
              {neighbours && (here === undefined ? text.noLongerInList : text.positionOf(here, neighbours))}
            </Text>
            <Step to={neighbours?.previous} filter={filter} hotkey="k" />
            <Step to={neighbours?.next} filter={filter} isNext hotkey="j" />
          </Group>
        )}
        {children}
      </Group>
    </Group>
  );
}

interface StepProps {
  to: Neighbour | undefined;
  filter: FindingFilter;
  isNext?: boolean;
  hotkey: string;
}

function Step({ to, filter, isNext = false, hotkey }: StepProps) {
  const [shortcuts] = useShortcutsOn();
  const label = isNext ? text.next : text.previous;
  const Icon = isNext ? IconChevronRight : IconChevronLeft;
  const look = {
    variant: 'default',
    size: 'compact-md',
    className: classes.step,
    [isNext ? 'rightSection' : 'leftSection']: <Icon size={16} aria-hidden />,
  };
  if (!to) {
    return (
      <Button {...look} disabled>
        {label}
      </Button>
    );
  }
  return (
    <Tip
      disabled={!shortcuts}
      label={
        <>
          {label} <Kbd size="xs">{hotkey}</Kbd>
        </>
      }
    >
      <OrgButton
        to="/o/$org/findings/$id"
        params={{ id: to.id }}
        search={{ ...filter, at: to.at }}
        replace
        {...(shortcuts && { 'aria-keyshortcuts': hotkey })}
        {...look}
      >
        {label}
      </OrgButton>
    </Tip>
  );
}

/** A finding and its position in the list, counted from 1. */
interface Neighbour {
  id: string;
  at: number;
}

interface Neighbours {
  /** The current position of the finding; undefined if it is no longer in the list. */
  place: number | undefined;
  total: number;
  /** Whether the list has more findings than the total. */
  isCapped: boolean;
  previous: Neighbour | undefined;
  next: Neighbour | undefined;
}

interface Walk {
  id: string;
  /** The list from which the finding was opened. */
  filter: FindingFilter;
  /** Its position when it was opened; undefined if it was not opened from a list. */
  at: number | undefined;
  /** Whether the list does not show its status. */
  isOut: boolean;
}

/**
 * The previous and next finding in the list. After triage has removed the finding from the list, the finding at its position
 * is the next one. Both are prefetched.
 */
function useNeighbours({ id, filter, at, isOut }: Walk): Neighbours | undefined {
  const org = useOrg();
  const queries = useQueryClient();
  const places = at === undefined ? [] : [at - 1, at, at + 1].filter((place) => place > 0);
  const found = useQueries({ queries: places.map((place) => placeQuery(org, filter, place)) });
  const rows = new Map(places.map((place, i) => [place, found[i]?.data?.id]));
  const isSettled = found.every(({ data, isFetching }) => data !== undefined && !isFetching);

  // Pushes and triage by other users move findings.
  const near = rows.get(at ?? 0) === id ? at : places.find((place) => rows.get(place) === id);
  const isLost = at !== undefined && isSettled && near === undefined && !isOut;
  const far = usePlaceAround({ id, filter, at: isLost ? at : undefined });
  const here = near ?? far.place;
  const neighbour = (place: number): Neighbour | undefined => {
    const other = rows.get(place);
    return other === undefined || other === id ? undefined : { id: other, at: place };
  };
  const { total = 0, isCapped = false } =
    (at === undefined ? undefined : found.at(places.indexOf(at))?.data) ?? {};
  const neighbours =
    at === undefined || far.isLooking || !(isSettled || here === at)
      ? undefined
      : {
          place: here,
          total,
          isCapped,
          previous: neighbour((here ?? at) - 1),
          next: neighbour(here === undefined ? at : here + 1),
        };

  const ahead = neighbours?.next?.id;
  const behind = neighbours?.previous?.id;
  useEffect(() => {
    if (ahead) {
      queries.prefetchQuery(findingQuery(org, ahead));
      queries.prefetchQuery(exploitsQuery(org, ahead));
    }
    if (behind) queries.prefetchQuery(findingQuery(org, behind));
  }, [ahead, behind, org, queries]);
  return neighbours;
}

/**
 * Searches a finding that has moved further: in its page of the list and in the adjacent pages.
 * @param walk `at` is undefined if no search is needed
 */
function usePlaceAround({ id, filter, at }: Omit<Walk, 'isOut'>) {
  const org = useOrg();
  const page = at === undefined ? 0 : pageOf(at - 1);
  const pages = page === 0 ? [] : [page - 1, page, page + 1].filter((one) => one > 0);
  const found = useQueries({
    queries: pages.map((one) => ({ ...findingsPageQuery(org, filter, one), staleTime: 0 })),
  });
  const place = pages
    .flatMap((one, i) =>
      (found[i]?.data?.rows ?? []).map((row, k) => [row?.id, (one - 1) * PAGE_ROWS + k + 1] as const),
    )
    .find(([other]) => other === id)?.[1];
  return { place, isLooking: place === undefined && found.some(({ isFetching }) => isFetching) };
}
