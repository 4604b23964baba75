import { ActionIcon, Button, Kbd, Switch, Text } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { getRouteApi, useBlocker } from '@tanstack/react-router';
import { Suspense, useCallback, useMemo, useRef, useState } from 'react';
import * as previewText from '#strings/findings/list/preview.ts';
import * as text from '#strings/findings/list.tsx';
import { lazyNamed } from '../../app/late.ts';
import {
  type FindingSearch,
  findingSearch,
  type GroupKey,
  matchingOf,
  wholeNumber,
} from '../../app/search.ts';
import { openConfirm } from '../../components/dialogs/confirm.ts';
import { Tip } from '../../components/floating/Tip.tsx';
import { ShortcutHelp } from '../../components/keyboard/ShortcutHelp.tsx';
import { useShortcuts, useShortcutsOn } from '../../components/keyboard/shortcuts.ts';
import { Page } from '../../components/Page.tsx';
import { TextSkeleton } from '../../components/text/TextSkeleton.tsx';
import { IconArrowUp, IconKeyboard } from '../../icons/icons.ts';
import { mayMatch, useAllowedProjects } from '../../projects/allowed-projects.ts';
import { useTriage } from '../../triage/use-triage.ts';
import type { Counts } from '../groups/Groups.tsx';
import {
  type FilterChange,
  keyOf,
  type ListState,
  searchOf,
  stateOf,
  withChange,
  withoutFilters,
} from '../list-state.ts';
import { MAX_QUERY } from '../query/QueryField.tsx';
import { ALL } from '../views.ts';
import { ColumnMenu, DensityButton, useColumns, useCompact } from './columns/ColumnMenu.tsx';
import { ExportMenu } from './ExportMenu.tsx';
import classes from './Findings.module.css';
import { FindingsGrid } from './FindingsGrid.tsx';
import { FilterChips, useListWords } from './filters/filter-chips.tsx';
import { GroupBySelect, SortSelect, Toolbar } from './filters/Toolbar.tsx';
import type { News } from './live/compare.ts';
import { NoFindings } from './NoFindings.tsx';
import previewClasses from './preview/Preview.module.css';
import type { PreviewProps } from './preview/Preview.tsx';
import { previewOf, usePreview } from './preview/use-preview.ts';
import { helpOf } from './use-grid-keys.ts';
import { useViewTotals, ViewTabs } from './views/ViewTabs.tsx';

const route = getRouteApi('/_signed-in/o/$org/findings');

/** The field that the list is grouped by. */
const groupingOf = (search: FindingSearch): { group_by?: GroupKey } => {
  const { group_by } = findingSearch({ ...search });
  return group_by ? { group_by } : {};
};

/** The list of findings with filters and triage. */
export function Findings() {
  const search = route.useSearch();
  const page = wholeNumber(search.page) ?? 1;
  const { group_by: grouping } = groupingOf(search);
  const navigate = route.useNavigate();
  const state = stateOf(search);
  // The same object while the list does not change.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the state
  const list = useMemo(() => state, [keyOf(state)]);
  const { filter } = list;
  const narrowed = matchingOf(filter);
  const mayTriage = mayMatch(filter, useAllowedProjects('updateFindings'));
  const columns = useColumns(
    search.preview !== undefined && grouping === undefined,
    filter.overdue ? ['due'] : [],
  );
  const [compact, toggleCompact] = useCompact();
  const narrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const field = useRef<HTMLInputElement>(null);
  const [total, setTotal] = useState<number | null>();
  const [isCapped, setCapped] = useState(false);
  const onTotal = useCallback((next: number | null | undefined, capped: boolean) => {
    setTotal(next);
    setCapped(capped);
  }, []);
  const [groups, setGroups] = useState<number>();
  const onCounts = useCallback((counts: Counts) => {
    setTotal(counts.findings);
    setCapped(false);
    setGroups(counts.groups);
  }, []);
  const [{ news, show }, setNews] = useState<{ news?: News | undefined; show?: () => void }>({});
  const onNews = useCallback((news: News | undefined, show: () => void) => setNews({ news, show }), []);
  const [helps, help] = useDisclosure();
  const triage = useTriage(filter);
  const preview = usePreview(search.preview);
  const words = useListWords(search);
  const totals = useViewTotals(list, total != null);

  const change = useCallback(
    (part: FilterChange) =>
      navigate({
        search: (before) => ({
          ...searchOf(withChange(stateOf(before), part)),
          ...groupingOf(before),
          ...previewOf(before),
        }),
        state: { isPreviewKept: !('sort' in part) },
        resetScroll: false,
      }),
    [navigate],
  );
  const find = () => {
    field.current?.focus();
    field.current?.setSelectionRange(MAX_QUERY, MAX_QUERY);
  };
  // On some keyboards these keys need Shift.
  useShortcuts({
    ...{ '/': find, 'shift+/': find, '?': help.open, 'shift+?': help.open },
    n: news && show,
    d: toggleCompact,
  });

  useBlocker({
    disabled: !triage.job?.running,
    enableBeforeUnload: true,
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname &&
      new Promise<boolean>((answer) =>
        openConfirm({
          title: text.stillUpdating,
          children: text.ifYouLeave,
          confirm: text.stopAndLeave,
          cancel: text.stay,
          onConfirm: () => {
            triage.stop();
            answer(false);
          },
          onClose: () => answer(true),
        }),
      ),
  });

  const all = totals.get('all');
  const isEmpty = all === undefined ? undefined : all === 0;
  const exports = <ExportMenu filter={filter} disabled={!total} />;
  return (
    <div className={classes.page}>
      <Page
        title={text.title}
        actions={
          !narrow && (
            <>
              {exports}
              <ColumnMenu columns={columns} />
              <DensityButton compact={compact} onToggle={toggleCompact} />
              <Tip label={text.keyboardShortcuts}>
                <ActionIcon
                  variant="default"
                  size={36}
                  aria-label={text.keyboardShortcuts}
                  aria-keyshortcuts="?"
                  onClick={help.open}
                >
                  <IconKeyboard size={18} />
                </ActionIcon>
              </Tip>
            </>
          )
        }
      >
        <Text className="print-only" size="sm">
          {text.onlyVisiblePrinted(words)}
        </Text>
        <div className={classes.list}>
          <ViewTabs search={search} list={list} totals={totals} total={total} isCapped={isCapped} />
          <Toolbar
            list={list}
            onChange={change}
            onQuery={(next: ListState) =>
              navigate({
                search: { ...searchOf(next), ...groupingOf(search), ...previewOf(search) },
                state: { isPreviewKept: true },
                replace: true,
                resetScroll: false,
              })
            }
            search={field}
            narrow={narrow}
          >
            {exports}
            <Switch label={text.compactRows} checked={compact} onChange={toggleCompact} />
          </Toolbar>
          <div className={classes.said}>
            <Text size="sm" fw={600} role="status">
              {total === undefined
                ? text.loading
                : total !== null &&
                  (grouping && groups !== undefined
                    ? text.findingsInGroups(total, groups)
                    : isCapped
                      ? text.findingsAndMore(total)
                      : text.findings(total))}
            </Text>
            <NewsButton news={news} onShow={show} />
            <FilterChips
              list={list}
              onChange={change}
              onClear={() =>
                navigate({ search: { ...searchOf(withoutFilters(list)), ...groupingOf(search) } })
              }
            />
            <div className={classes.order} data-print-hidden>
              <GroupBySelect
                value={grouping}
                onGroup={(by) => {
                  setTotal(undefined);
                  setGroups(undefined);
                  void navigate({
                    search: { ...searchOf(list), ...(by && { group_by: by }) },
                    resetScroll: false,
                  });
                }}
              />
              {!grouping && <SortSelect sort={filter.sort ?? ALL.sort} onSort={(sort) => change({ sort })} />}
            </div>
          </div>
          {grouping ? (
            <Suspense fallback={null}>
              <Groups
                key={grouping + JSON.stringify(narrowed)}
                filter={filter}
                by={grouping}
                triage={triage}
                empty={<NoFindings list={list} isEmpty={isEmpty} />}
                onCounts={onCounts}
              />
            </Suspense>
          ) : (
            <div className={classes.split}>
              <FindingsGrid
                key={JSON.stringify(narrowed)}
                list={list}
                page={page}
                columns={columns.shown}
                card={narrow}
                compact={compact}
                triage={triage}
                preview={preview}
                isEmpty={isEmpty}
                onTotal={onTotal}
                onNews={onNews}
              />
              {preview.id !== undefined && (
                <LazyPreview id={preview.id} filter={filter} triage={triage} onClose={preview.close} />
              )}
            </div>
          )}
        </div>
      </Page>
      <ShortcutHelp
        opened={helps}
        onClose={help.close}
        note={text.keysThatAlwaysWork}
        shortcuts={helpOf({ isGrouped: grouping !== undefined, mayTriage })}
      />
    </div>
  );
}

/** Loaded when the list is grouped for the first time. */
const Groups = lazyNamed(() => import('../groups/Groups.tsx'), 'Groups');

const Preview = lazyNamed(() => import('./preview/Preview.tsx'), 'Preview');

/** The preview, whose code is loaded when it is opened for the first time. */
const LazyPreview = (props: PreviewProps) => (
  <Suspense
    fallback={
      <aside className={previewClasses.preview} aria-label={previewText.loading}>
        <div className={previewClasses.head} />
        <TextSkeleton />
      </aside>
    }
  >
    <Preview {...props} />
  </Suspense>
);

const NEWS_KEY = 'n';

interface NewsProps {
  news: News | undefined;
  onShow: (() => void) | undefined;
}

/** Says that there are new findings, and shows them. It appears beside the number of findings, where it moves no row. */
function NewsButton({ news, onShow }: NewsProps) {
  const [shortcuts] = useShortcutsOn();
  return (
    <div role="status">
      {news && (
        <Button
          size="compact-xs"
          radius="xl"
          onClick={onShow}
          leftSection={<IconArrowUp size={12} aria-hidden />}
          rightSection={
            shortcuts && (
              <Kbd size="xs" visibleFrom="sm">
                {NEWS_KEY}
              </Kbd>
            )
          }
          {...(shortcuts && { 'aria-keyshortcuts': NEWS_KEY })}
        >
          {wordsOf(news)}
        </Button>
      )}
    </div>
  );
}

/** Such as "1 regressed finding, 3 new findings". */
function wordsOf({ added, regressed }: News): string {
  if (regressed > 0) return added > 0 ? text.both(regressed, added) : text.regressedFindings(regressed);
  return added > 0 ? text.newFindings(added) : text.hasChanged;
}
