import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useChanges } from '../../../app/revision.ts';
import { useOrg } from '../../../app/session.ts';
import { findingQuery } from '../../finding-queries.ts';
import {
  type FindingFilter,
  type FindingsPage,
  findingsPageQuery,
  type ListedFinding,
  readPage,
  rowsKey,
} from '../../list-queries.ts';
import { compare, type News, type Pages, withContent } from './compare.ts';

/** The most findings that are read one by one, because they are no longer where they are shown. */
const MAX_SINGLE = 40;

/** The current rows, and when they replaced the content of those that are shown. */
interface Current {
  of: string;
  pages: Pages<ListedFinding>;
  at: number;
}

/**
 * Notices changes of the list. The content of rows is updated in place; new findings and a new order wait until the user asks
 * for them, so that nothing moves below the pointer. An empty list shows them at once.
 * @param pages the numbers of the loaded pages
 * @param shownIds the visible findings
 * @param isPaused whether a bulk change runs, which changes rows itself
 */
function useNews(
  filter: FindingFilter,
  pages: readonly number[],
  shownIds: readonly string[],
  isPaused: boolean,
): { news: News | undefined; show(): void } {
  const org = useOrg();
  const queries = useQueryClient();
  const [current, setCurrent] = useState<Current>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const of = JSON.stringify(filter);
  const keyOf = (page: number) => findingsPageQuery(org, filter, page).queryKey;
  const shownOf = (numbers: Iterable<number>): Pages<ListedFinding> =>
    new Map(
      [...numbers].flatMap((page): [number, FindingsPage][] => {
        const data = queries.getQueryData(keyOf(page));
        return data ? [[page, data]] : [];
      }),
    );

  const refresh = async (signal: AbortSignal) => {
    const shown = shownOf(pages);
    const read = async (page: number) => [page, await readPage(org, filter, page, signal)] as const;
    const fresh: Pages<ListedFinding> = new Map(await Promise.all([...shown.keys()].map(read)));
    const content = new Map<string, ListedFinding>();
    for (const { rows } of fresh.values()) for (const row of rows) if (row) content.set(row.id, row);
    // Findings that have left the list, or moved to another page, still show what became of them.
    const missing = shownIds.filter((id) => !content.has(id)).slice(0, MAX_SINGLE);
    const singles = missing.map((id) =>
      queries.query({ ...findingQuery(org, id), staleTime: 0 }).catch(() => {}),
    );
    for (const finding of await Promise.all(singles)) if (finding) content.set(finding.id, finding);
    // A decision that was made meanwhile is not in what was read. The list is read again after it.
    const isOld = [...shown].some(([page, data]) => queries.getQueryData(keyOf(page)) !== data);
    if (signal.aborted || isOld) return;
    const isEmpty = [...shown.values()].every(({ total }) => total === 0);
    const movesNothing = isEmpty || compare(shown, fresh).isSame;
    for (const page of shown.keys()) {
      queries.setQueryData(keyOf(page), (before) =>
        movesNothing ? fresh.get(page) : before && withContent(before, content),
      );
    }
    setCurrent(movesNothing ? undefined : { of, pages: fresh, at: Date.now() });
  };
  useChanges(() => {
    if (isPaused) return;
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    // The next change tries again. Reads of what is shown report errors.
    refresh(controller.signal).catch(() => {});
  });

  const isCurrent =
    current?.of === of &&
    [...current.pages.keys()].every(
      (page) => (queries.getQueryState(keyOf(page))?.dataUpdatedAt ?? 0) <= current.at,
    );
  const news = isCurrent ? compare(shownOf(current.pages.keys()), current.pages) : undefined;
  return {
    news: news?.isSame ? undefined : news,
    show() {
      if (!current) return;
      queries.removeQueries({ queryKey: [...rowsKey(org), filter], type: 'inactive' });
      for (const [page, data] of current.pages) queries.setQueryData(keyOf(page), data);
      setCurrent(undefined);
    },
  };
}

interface Shown {
  /** The numbers of the loaded pages. */
  pages: readonly number[];
  /** The visible findings. */
  shownIds: readonly string[];
  /** Whether a bulk change runs, which changes rows itself. */
  isPaused: boolean;
  /** Called with the changes that are not shown yet, and a function that shows them. */
  onNews(news: News | undefined, show: () => void): void;
  /** Called after they are shown. */
  onShown(): void;
}

/** Tells the page about changes of the list that are not shown yet, when they change. */
export function useToldNews(
  filter: FindingFilter,
  { pages, shownIds, isPaused, onNews, onShown }: Shown,
): void {
  const { news, show } = useNews(filter, pages, shownIds, isPaused);
  const showNews = useRef(show);
  useLayoutEffect(() => {
    showNews.current = () => {
      show();
      onShown();
    };
  });
  const told = JSON.stringify(news);
  useLayoutEffect(
    () => onNews(told === undefined ? undefined : JSON.parse(told), () => showNews.current()),
    [told, onNews],
  );
}
