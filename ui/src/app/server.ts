import { createStore } from './store.ts';

/** The time between two attempts to reach the server. */
const RETRY_MS = 2_000;

/** The number of imports that wait for the server. */
export const serverWaits = createStore(0);

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
    serverWaits.set(serverWaits.get() + 1);
    try {
      do await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      while (!(await isServerUp()));
    } finally {
      serverWaits.set(serverWaits.get() - 1);
    }
    return load();
  };
