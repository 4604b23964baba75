import { useSyncExternalStore } from 'react';
import { lateStyles } from '../../app/late.ts';
import { whenUp } from '../../app/server.ts';
import { createStore } from '../../app/store.ts';

/*
 * Menus, selects and tooltips are not part of the first load. A page shows their buttons and fields, and loads the rest when
 * the line is idle, or when the user points at one, focuses it or opens it.
 */

type Parts = typeof import('./parts.tsx');

const parts = createStore<Parts | undefined>(undefined);

async function load(): Promise<void> {
  const [loaded] = await Promise.all([import('./parts.tsx'), lateStyles()]);
  parts.set(loaded);
}

/** Loads the parts before they are used. Errors are ignored, because opening a menu loads them again. */
export const loadAhead = (): Promise<void> => load().catch(() => {});

/** Loads the parts for a menu or select that the user has opened. Waits for a server that does not respond. */
export const loadWhenUp = whenUp(load);

/** The parts; undefined until they are loaded. */
export const useParts = (): Parts | undefined => useSyncExternalStore(parts.subscribe, parts.get);
