import { describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../lib/client/index.ts';
import { BATCH, type Change, type Reply } from '../../ui/src/triage/change-statuses.ts';
import { createTriage } from '../../ui/src/triage/engine.ts';

const change = (id: string, status: Change['status'] = 'fixed'): Change => ({ id, title: id, status });
const many = (count: number) => Array.from({ length: count }, (_, i) => change(`f${i}`));
const denied = new ServiceError(new Response(null, { status: 403 }), {
  errors: [{ type: 'permission_error', code: 'denied', message: 'Not allowed.' }],
});

/** A triage whose requests the test answers. Findings are `open` before the first change. */
function setUp() {
  const shown = new Map<string, string>();
  const requests: { ids: string[]; succeed(reply?: Partial<Reply>): void; fail(error: unknown): void }[] = [];
  const messages = {
    changed: vi.fn(),
    undone: vi.fn(),
    failed: vi.fn(),
    notRestored: vi.fn(),
    nothingToUndo: vi.fn(),
    busy: vi.fn(),
    explain: () => 'refused',
  };
  const refresh = vi.fn();
  const triage = createTriage({
    send: (changes) =>
      new Promise((resolve, reject) => {
        const updated = changes.map(({ id }) => ({ id, previous_status: 'open' as const }));
        requests.push({
          ids: changes.map(({ id }) => id),
          succeed: (reply) => resolve({ updated, failed: [], ...reply }),
          fail: reject,
        });
      }),
    show(changes) {
      const before = new Map(shown);
      for (const { id, status } of changes) shown.set(id, status);
      return () => {
        shown.clear();
        for (const [id, status] of before) shown.set(id, status);
      };
    },
    refresh,
    messages,
  });
  /** WaitForFinding for the next request. */
  const request = async (index: number) => {
    await vi.waitFor(() => expect(requests.length).toBeGreaterThan(index));
    return requests[index] as (typeof requests)[number];
  };
  return { triage, shown, requests, request, refresh, messages };
}

describe('the triage of findings', () => {
  it('shows a status before the service answers, and reads findings again after the last answer', async () => {
    const { triage, shown, request, refresh, messages } = setUp();
    triage.run([change('a')]);
    triage.run([change('b')]);
    expect(Object.fromEntries(shown)).toEqual({ a: 'fixed', b: 'fixed' });
    (await request(0)).succeed();
    await vi.waitFor(() => expect(messages.changed).toHaveBeenCalledTimes(1));
    expect(refresh).not.toHaveBeenCalled();
    (await request(1)).succeed();
    await vi.waitFor(() => expect(refresh).toHaveBeenCalledTimes(1));
  });

  it('sends changes of one finding in their order, and changes of others meanwhile', async () => {
    const { triage, requests, request, messages } = setUp();
    triage.run([change('a', 'confirmed')]);
    triage.run([change('a', 'fixed')]);
    triage.run([change('b')]);
    (await request(1)).succeed();
    await vi.waitFor(() => expect(messages.changed).toHaveBeenCalledTimes(1));
    expect(requests.map(({ ids }) => ids)).toEqual([['a'], ['b']]);
    (await request(0)).succeed();
    expect((await request(2)).ids).toEqual(['a']);
  });

  it('undoes the change that was made last, also if an earlier one is answered after it', async () => {
    const { triage, request, messages } = setUp();
    triage.run([change('a')]);
    triage.run([change('b')]);
    (await request(1)).succeed();
    await vi.waitFor(() => expect(messages.changed).toHaveBeenCalledTimes(1));
    triage.undo();
    (await request(0)).succeed();
    expect((await request(2)).ids).toEqual(['b']);
    (await request(2)).succeed();
    await vi.waitFor(() => expect(messages.undone).toHaveBeenCalledWith([change('b', 'open')]));
    triage.undo();
    expect((await request(3)).ids).toEqual(['a']);
    (await request(3)).succeed();
    await vi.waitFor(() => expect(messages.undone).toHaveBeenCalledTimes(2));
    triage.undo();
    await vi.waitFor(() => expect(messages.nothingToUndo).toHaveBeenCalled());
  });

  it('can undo again what could not be undone', async () => {
    const { triage, request, messages } = setUp();
    triage.run([change('a')]);
    (await request(0)).succeed();
    await vi.waitFor(() => expect(messages.changed).toHaveBeenCalled());
    triage.undo();
    (await request(1)).fail(denied);
    await vi.waitFor(() => expect(messages.failed).toHaveBeenCalled());
    triage.undo();
    expect((await request(2)).ids).toEqual(['a']);
  });

  it('restores the display and reports the error when the service refuses', async () => {
    const { triage, shown, request, messages } = setUp();
    triage.run([change('a')]);
    (await request(0)).fail(denied);
    await vi.waitFor(() => expect(messages.failed).toHaveBeenCalledTimes(1));
    expect(messages.failed.mock.calls[0]?.[1]).toBe(denied);
    expect(shown.has('a')).toBe(false);
  });

  it('does not restore a status that only agents set', async () => {
    const { triage, request, requests, messages } = setUp();
    triage.run([change('a'), change('b')]);
    const updated = [
      { id: 'a', previous_status: 'verified' as const },
      { id: 'b', previous_status: 'open' as const },
    ];
    (await request(0)).succeed({ updated });
    await vi.waitFor(() => expect(messages.changed).toHaveBeenCalled());
    triage.undo();
    expect((await request(1)).ids).toEqual(['b']);
    expect(messages.notRestored).toHaveBeenCalledWith(1);
    expect(requests).toHaveLength(2);
  });

  it('stops a bulk change after the batch in progress, and continues with the rest', async () => {
    const { triage, shown, request, messages } = setUp();
    triage.run(many(2 * BATCH + 1));
    const first = await request(0);
    expect(first.ids).toHaveLength(BATCH);
    triage.undo();
    expect(messages.busy).toHaveBeenCalled();
    triage.stop();
    first.succeed();
    await vi.waitFor(() => expect(triage.job()?.running).toBe(false));
    expect(triage.job()).toMatchObject({ done: BATCH, total: 2 * BATCH + 1 });
    expect(triage.job()?.left).toHaveLength(BATCH + 1);
    expect(shown.size).toBe(BATCH);

    triage.retry();
    (await request(1)).succeed();
    (await request(2)).succeed();
    await vi.waitFor(() => expect(triage.job()).toBeUndefined());
  });

  it('names the findings of a bulk change that failed, and tries only those again', async () => {
    const { triage, shown, request } = setUp();
    triage.run([change('a'), change('b')]);
    const updated = [{ id: 'a', previous_status: 'open' as const }];
    (await request(0)).succeed({ updated, failed: [{ id: 'b', message: 'There is no such finding.' }] });
    await vi.waitFor(() => expect(triage.job()?.running).toBe(false));
    expect(triage.job()?.failed).toEqual([{ ...change('b'), reason: 'There is no such finding.' }]);
    expect([...shown.keys()]).toEqual(['a']);
    triage.retry();
    expect((await request(1)).ids).toEqual(['b']);
  });
});
