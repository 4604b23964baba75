import { Box, Button, Kbd, type Menu as MenuParts } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import * as text from '#strings/findings/list/views.tsx';
import { number } from '#strings/language.ts';
import type { FindingSearch } from '../../../app/search.ts';
import { useMe, useOrg } from '../../../app/session.ts';
import { lazyDialog } from '../../../components/dialogs/lazy-dialog.tsx';
import { LazyMenu } from '../../../components/floating/LazyMenu.tsx';
import { useShortcuts, useShortcutsOn } from '../../../components/keyboard/shortcuts.ts';
import { OrgBox } from '../../../components/links.tsx';
import { IconBookmark, IconCheck, IconChevronDown, IconPlus, IconSettings } from '../../../icons/icons.ts';
import { isSearch, totalQuery } from '../../list-queries.ts';
import { filtersBeside, inView, type ListState, searchOf } from '../../list-state.ts';
import { VIEWS } from '../../views.ts';
import { type SavedView, savedViewsQuery } from './saved-views.ts';
import classes from './ViewTabs.module.css';
import { searchOfView, showsView } from './view-query.ts';

/** The number of saved views with a tab. The menu has all of them. */
const SAVED_TABS = 8;

interface Props {
  search: FindingSearch;
  list: ListState;
  totals: ViewTotals;
  /** The number of findings of the current view. */
  total: number | null | undefined;
  /** Whether more findings match than the total. */
  isCapped: boolean;
}

/** Links to the views of the list, with their numbers, and to saved views. */
export function ViewTabs({ search, list, totals, total, isCapped }: Props) {
  const org = useOrg();
  const views = useQuery(savedViewsQuery(org)).data ?? [];
  const saved = views.find((view) => showsView(search, view));
  const current = saved ? undefined : list.view;
  const tabs = views.filter((view, i) => i < SAVED_TABS || view === saved);
  const nav = useRef<HTMLElement>(null);
  const shown = saved?.id ?? current?.id;
  useLayoutEffect(() => {
    // Tabs scroll on narrow screens.
    if (shown !== undefined)
      nav.current?.querySelector('[data-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shown]);
  return (
    <div className={classes.views} data-print-hidden>
      <nav className={classes.tabs} aria-label={text.views} ref={nav}>
        <ul>
          {VIEWS.map((view) => {
            const isCurrent = view === current;
            return (
              <li key={view.id}>
                <Tab
                  label={view.label}
                  search={searchOf(inView(list, view))}
                  isCurrent={isCurrent}
                  count={(isCurrent ? total : undefined) ?? totals.get(view.id)}
                  isAtLeast={isCurrent && isCapped}
                />
              </li>
            );
          })}
          {tabs.map((view, i) => {
            const isCurrent = view === saved;
            return (
              <li key={view.id} className={i === 0 ? classes.first : undefined}>
                <Tab
                  label={view.name}
                  search={searchOfView(view)}
                  isCurrent={isCurrent}
                  count={(isCurrent ? total : undefined) ?? undefined}
                  isAtLeast={isCurrent && isCapped}
                />
              </li>
            );
          })}
        </ul>
      </nav>
      <ViewMenu search={search} views={views} />
    </div>
  );
}

interface TabProps {
  label: string;
  search: FindingSearch;
  isCurrent: boolean;
  count: number | undefined;
  isAtLeast: boolean;
}

function Tab({ label, search, isCurrent, count, isAtLeast }: TabProps) {
  return (
    <OrgBox
      to="/o/$org/findings"
      search={search}
      preload={false}
      resetScroll={false}
      className={classes.tab}
      // The router compares parameters, of which a view sets only some.
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={{}}
      {...(isCurrent && { 'aria-current': 'page' as const, 'data-current': true })}
    >
      <bdi className={classes.label}>{label}</bdi>
      <span className={classes.count}>
        {count !== undefined && (isAtLeast ? text.atLeast(count) : number(count))}
      </span>
    </OrgBox>
  );
}

/** The number of findings by the id of the view. */
type ViewTotals = ReadonlyMap<string, number>;

/**
 * The number of findings of each view with the further filters of the list, which a click on its tab keeps. A search has no numbers,
 * because each would cost a search.
 * @param enabled false until the list has its rows
 */
export function useViewTotals(list: ListState, enabled: boolean): ViewTotals {
  const org = useOrg();
  const views = isSearch(filtersBeside(list)) ? [] : VIEWS;
  return useQueries({
    queries: views.map((view) => ({ ...totalQuery(org, inView(list, view).filter), enabled })),
    combine: (results) =>
      new Map(
        views.flatMap(({ id }, i) => {
          const total = results[i]?.data;
          return total === undefined ? [] : [[id, total] as const];
        }),
      ),
  });
}

const SaveView = lazyDialog(() => import('./SaveView.tsx'), 'SaveView');
const ManageViews = lazyDialog(() => import('./ManageViews.tsx'), 'ManageViews');

const HOTKEY = 'v';

interface MenuProps {
  search: FindingSearch;
  views: readonly SavedView[];
}

/** Opens saved views, saves the list as a view, and manages views. */
function ViewMenu({ search, views }: MenuProps) {
  const org = useOrg();
  const { user } = useMe();
  const navigate = useNavigate();
  const [saving, save] = useDisclosure();
  const [managing, manage] = useDisclosure();
  const [keys] = useShortcutsOn();
  useShortcuts({ [HOTKEY]: save.open });
  const own = views.filter(({ owner_id }) => owner_id === user.id);
  const others = views.filter(({ owner_id }) => owner_id !== user.id);
  const items = (Menu: typeof MenuParts, list: readonly SavedView[]) =>
    list.map((view) => (
      <Menu.Item
        key={view.id}
        rightSection={showsView(search, view) && <IconCheck size={14} aria-label={text.shown} />}
        onClick={() =>
          navigate({ to: '/o/$org/findings', params: { org: org.slug }, search: searchOfView(view) })
        }
      >
        <bdi>{view.name}</bdi>
      </Menu.Item>
    ));
  return (
    <>
      <LazyMenu
        position="bottom-end"
        width={260}
        button={(props) => (
          <Button
            {...props}
            size="compact-sm"
            variant="subtle"
            flex="none"
            leftSection={<IconBookmark size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
            aria-label={text.savedViews}
          >
            <Box component="span" visibleFrom="sm">
              {text.views}
            </Box>
          </Button>
        )}
      >
        {(Menu) => (
          <>
            <Menu.Item
              leftSection={<IconPlus size={16} aria-hidden />}
              rightSection={keys && <Kbd size="xs">{HOTKEY}</Kbd>}
              onClick={save.open}
            >
              {text.saveViewAs}
            </Menu.Item>
            {views.length > 0 && (
              <Menu.Item leftSection={<IconSettings size={16} aria-hidden />} onClick={manage.open}>
                {text.manageViews}
              </Menu.Item>
            )}
            {/* Scroll areas of Mantine can be focused, which children of a menu may not. */}
            <Box mah="50vh" style={{ overflowY: 'auto' }}>
              {own.length > 0 && <Menu.Label>{text.yourViews}</Menu.Label>}
              {items(Menu, own)}
              {others.length > 0 && <Menu.Label>{text.sharedByOthers}</Menu.Label>}
              {items(Menu, others)}
            </Box>
          </>
        )}
      </LazyMenu>
      <SaveView opened={saving} onClose={save.close} search={search} />
      <ManageViews opened={managing} onClose={manage.close} search={search} />
    </>
  );
}
