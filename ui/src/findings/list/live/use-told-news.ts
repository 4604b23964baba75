import { useLayoutEffect, useRef } from 'react';
import type { FindingFilter } from '../../list-queries.ts';
import type { News } from './compare.ts';
import { useNews } from './use-news.ts';

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
