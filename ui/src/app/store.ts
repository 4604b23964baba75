/** A value that components follow with `useSyncExternalStore`. */
export interface Store<T> {
  get(this: void): T;
  set(this: void, value: T): void;
  subscribe(this: void, listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let current = initial;
  return {
    get: () => current,
    set(value) {
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
