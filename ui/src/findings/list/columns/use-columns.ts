import { useLocalStorage } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';
import { ALWAYS, COLUMNS, type ColumnId, columnsFor } from './columns.ts';

/** Rounded, so that few widths of a resized window render the list again. */
const windowRem = () => {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.floor(window.innerWidth / rem / 2) * 2;
};
const onResize = (listener: () => void) => {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
};

/** The visible columns: those that fit, or the ones that the user has chosen, which are stored in the browser. */
export function useColumns(hasPreview: boolean) {
  const width = useSyncExternalStore(onResize, windowRem);
  const [chosen, setChosen, reset] = useLocalStorage<ColumnId[] | null>({
    key: 'finding-columns',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const ids = Array.isArray(chosen) ? chosen : columnsFor(width, hasPreview);
  return {
    ids,
    shown: COLUMNS.filter(({ id }) => ids.includes(id) || ALWAYS.includes(id)),
    choose: (next: string[]) => setChosen(COLUMNS.map(({ id }) => id).filter((id) => next.includes(id))),
    reset,
  };
}

/** Rows of 28 pixels with one line, or of 40 pixels with two. The choice is stored in the browser. */
export function useCompact(): [isCompact: boolean, toggle: () => void] {
  const [density, setDensity] = useLocalStorage<string>({
    key: 'finding-rows',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
  });
  const isCompact = density === 'compact';
  return [isCompact, () => setDensity(isCompact ? 'comfortable' : 'compact')];
}
