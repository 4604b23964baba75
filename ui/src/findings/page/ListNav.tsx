import { Button, Group, Kbd, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import * as text from '#strings/findings/page.tsx';
import { useOrg } from '../../app/session.ts';
import { Tip } from '../../components/floating/Tip.tsx';
import { isTaken, useShortcuts, useShortcutsOn } from '../../components/keyboard/shortcuts.ts';
import { LinkButton } from '../../components/links.tsx';
import { IconArrowLeft, IconChevronLeft, IconChevronRight } from '../../icons/icons.ts';
import { type FindingFilter, PAGE_ROWS, rememberFinding } from '../list-queries.ts';
import { addressOf } from '../views.ts';
import classes from './Finding.module.css';
import { type Neighbour, useNeighbours, type Walk } from './use-neighbours.ts';

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

  const go = (to: Neighbour | undefined) =>
    to &&
    (() =>
      navigate({
        to: '/o/$org/findings/$id',
        params: { ...params, id: to.id },
        search: { ...filter, at: to.at },
        // Back returns to the list.
        replace: true,
      }));
  useShortcuts({ j: go(neighbours?.next), k: go(neighbours?.previous) });

  const list = {
    ...addressOf(filter),
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
      search: { ...filter, at: here },
      replace: true,
    });
  }, [here, at, id, org.slug, filter, navigate]);
  useEffect(() => {
    if (at !== undefined) rememberFinding(queries, org, filter, at);
  }, [at, queries, org, filter]);

  return (
    <Group justify="space-between" gap="xs" data-print-hidden>
      <LinkButton
        to="/o/$org/findings"
        params={{ org: org.slug }}
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
      </LinkButton>
      <Group gap="xs">
        {at !== undefined && (
          <Group component="nav" gap="xs" aria-label={text.findingsInList}>
            <Text size="sm" c="dimmed" role="status">
              {neighbours &&
                (here === undefined ? text.noLongerInList : text.positionOf(here, neighbours.total))}
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
  const { slug } = useOrg();
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
      <LinkButton
        to="/o/$org/findings/$id"
        params={{ org: slug, id: to.id }}
        search={{ ...filter, at: to.at }}
        replace
        {...(shortcuts && { 'aria-keyshortcuts': hotkey })}
        {...look}
      >
        {label}
      </LinkButton>
    </Tip>
  );
}
