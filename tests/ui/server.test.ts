import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serverWaits, whenUp } from '../../ui/src/app/server.ts';

const GONE = new TypeError('Failed to fetch dynamically imported module');

/** The responses of the server to each attempt to reach it; an error is no response. */
function responses(...each: (Response | Error)[]) {
  const fetch = vi.fn(async () => {
    const next = each.shift();
    if (!next || next instanceof Error) throw next ?? new Error('no further attempt was expected');
    return next;
  });
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

const down = () => new TypeError('Failed to fetch');

describe('the code of a page', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('is loaded once the server is back', async () => {
    const fetch = responses(down(), new Response(null, { status: 502 }), new Response());
    const load = vi.fn().mockRejectedValueOnce(GONE).mockResolvedValueOnce('the page');
    const heard = vi.fn();
    const unsubscribe = serverWaits.subscribe(heard);

    const page = whenUp(load)();
    await vi.advanceTimersByTimeAsync(0);
    expect(serverWaits.get()).toBe(1);
    await vi.runAllTimersAsync();

    await expect(page).resolves.toBe('the page');
    expect(serverWaits.get()).toBe(0);
    expect(heard).toHaveBeenCalledTimes(2);
    expect(fetch).toHaveBeenCalledTimes(3);
    unsubscribe();
  });

  it('fails at once if the server responds, because a newer build has replaced it', async () => {
    responses(new Response());
    await expect(whenUp(() => Promise.reject(GONE))()).rejects.toBe(GONE);
    expect(serverWaits.get()).toBe(0);
  });

  it('asks nothing of a server from which it loads', async () => {
    const fetch = responses();
    await expect(whenUp(async () => 'the page')()).resolves.toBe('the page');
    expect(fetch).not.toHaveBeenCalled();
  });
});
