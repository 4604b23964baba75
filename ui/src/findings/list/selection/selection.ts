import { useSyncExternalStore } from 'react';

/** A finding with its title. */
type Titled = { id: string; title: string };

/** The selected findings. Each row subscribes to its own state, so that a click does not render all rows again. */
export interface Selection {
  subscribe(this: void, listener: () => void): () => void;
  has(id: string): boolean;
  size(this: void): number;
  set(findings: readonly Titled[], selected: boolean): void;
  clear(this: void): void;
  all(): Titled[];
}

export function createSelection(): Selection {
  const titles = new Map<string, string>();
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    has: (id) => titles.has(id),
    size: () => titles.size,
    set(findings, selected) {
      for (const { id, title } of findings) {
        if (selected) titles.set(id, title);
        else titles.delete(id);
      }
      tell();
    },
    clear() {
      titles.clear();
      tell();
    },
    all: () => Array.from(titles, ([id, title]) => ({ id, title })),
  };
}

export const useSelected = (selection: Selection, id: string | undefined): boolean =>
  useSyncExternalStore(selection.subscribe, () => id !== undefined && selection.has(id));

export const useSelectionSize = (selection: Selection): number =>
  useSyncExternalStore(selection.subscribe, selection.size);
