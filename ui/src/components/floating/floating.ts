import { useSyncExternalStore } from 'react';
import { lateStyles } from '../../app/late.ts';
import { whenUp } from '../../app/server.ts';

/*
 * Menus, selects and tooltips are not part of the first load. A page shows their buttons and fields, and loads the rest when
 * the line is idle, or when the user points at one, focuses it or opens it.
 */

type Parts = typeof import('./parts.tsx');

let parts: Parts | undefined;
const listeners = new Set<() => void>();

async function load(): Promise<void> {
  [parts] = await Promise.all([import('./parts.tsx'), lateStyles()]);
  for (const listener of listeners) listener();
}

/** Loads the parts before they are used. Errors are ignored, because opening a menu loads them again. */
export const loadAhead = (): Promise<void> => load().catch(() => {});

/** Loads the parts for a menu or select that the user has opened. Waits for a server that does not respond. */
export const loadWhenUp = whenUp(load);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The parts; undefined until they are loaded. */
export const useParts = (): Parts | undefined => useSyncExternalStore(subscribe, () => parts);
