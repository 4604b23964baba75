/** The time between two attempts to reach the server. */
const RETRY_MS = 2_000;

let waiting = 0;
const listeners = new Set<() => void>();

function count(change: 1 | -1): void {
  waiting += change;
  for (const listener of listeners) listener();
}

/** Tells whether a page waits for the server, for `useSyncExternalStore`. */
export const serverWait = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isWaiting: (): boolean => waiting > 0,
};

/** Whether the server responds. */
export async function isServerUp(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD' })).ok;
  } catch {
    return false;
  }
}

/**
 * Makes an import wait for a server that does not respond. Without this, the router reloads the window, and the browser
 * replaces the page by its own error page. The import fails if the server responds but no longer has the file.
 */
export const whenUp =
  <T>(load: () => Promise<T>) =>
  async (): Promise<T> => {
    try {
      return await load();
    } catch (error) {
      if (await isServerUp()) throw error;
    }
    count(1);
    try {
      do await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      while (!(await isServerUp()));
    } finally {
      count(-1);
    }
    return load();
  };
