import { describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../lib/client/index.ts';
import type { MatchingChange, MatchingReply, Step } from '../../ui/src/triage/engine/change-matching.ts';
import { BATCH, type Change, type Reply } from '../../ui/src/triage/engine/change-statuses.ts';
import { createTriage } from '../../ui/src/triage/engine/engine.ts';
import type { Undone } from '../../ui/src/triage/engine/model.ts';
import { createUndoStack } from '../../ui/src/triage/engine/state.ts';

const change = (id: string, status: Change['status'] = 'fixed'): Change => ({ id, title: id, status });
const many = (count: number) => Array.from({ length: count }, (_, i) => change(`f${i}`));
const denied = new ServiceError(new Response(null, { status: 403 }), {
  errors: [{ type: 'permission_error', code: 'denied', message: 'Not allowed.' }],
});

/** A triage whose requests the test answers. Findings are `open` before the first change. */
function setUp(undoable = createUndoStack()) {
  const shown = new Map<string, string>();
  const requests: {
    ids: string[];
    conditions: unknown[];
    succeed(reply?: Partial<Reply>): void;
    fail(error: unknown): void;
  }[] = [];
  const matching: { step: Step; succeed(reply: Partial<MatchingReply>): void; fail(error: unknown): void }[] =
    [];
  const count = vi.fn(async () => 0);
  const undos: { id: string; succeed(undone: Partial<Undone>): void; fail(error: unknown): void }[] = [];
  const messages = {
    changed: vi.fn(),
    changedMatching: vi.fn(),
    otherCount: vi.fn(),
    undone: vi.fn(),
    failed: vi.fn(),
    conflicts: vi.fn(),
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
          conditions: changes.map(({ if_status }) => if_status),
          succeed: (reply) =>
            resolve({ updated, failed: [], conflicts: [], change_id: `change ${requests.length}`, ...reply }),
          fail: reject,
        });
      }),
    sendMatching: (_change, step) =>
      new Promise((resolve, reject) => {
        const succeed = (reply: Partial<MatchingReply>) => resolve({ updated: [], conflicts: [], ...reply });
        matching.push({ step, succeed, fail: reject });
      }),
    countMatching: count,
    undo: (id) =>
      new Promise((resolve, reject) => {
        undos.push({
          id,
          succeed: (undone) => resolve({ restored: [], conflicts: [], ...undone }),
          fail: reject,
        });
      }),
    undoable,
    showRestored: (restored) => {
      for (const { id, status } of restored) shown.set(id, status);
    },
    show(changes) {
      const before = new Map(shown);
      for (const { id, status } of changes) if (status) shown.set(id, status);
      return () => {
        shown.clear();
        for (const [id, status] of before) shown.set(id, status);
      };
    },
    refresh,
    messages,
  });
  /** Waits for the next request that changes findings. */
  const request = async (index: number) => {
    await vi.waitFor(() => expect(requests.length).toBeGreaterThan(index));
    return requests[index] as (typeof requests)[number];
  };
  /** Waits for the next request that undoes a change. */
  const undoRequest = async (index: number) => {
    await vi.waitFor(() => expect(undos.length).toBeGreaterThan(index));
    return undos[index] as (typeof undos)[number];
  };
  /** Waits for a request that changes findings by a filter. */
  const matchingRequest = async (index: number) => {
    await vi.waitFor(() => expect(matching.length).toBeGreaterThan(index));
    return matching[index] as (typeof matching)[number];
  };
  const others = { matching, matchingRequest, count };
  return { triage, shown, requests, request, undos, undoRequest, refresh, messages, ...others };
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
    const { triage, request, undoRequest, messages, shown } = setUp();
    triage.run([change('a')]);
    triage.run([change('b')]);
    (await request(1)).succeed({ change_id: 'of b' });
    await vi.waitFor(() => expect(messages.changed).toHaveBeenCalledTimes(1));
    triage.undo();
    (await request(0)).succeed({ change_id: 'of a' });
    const first = await undoRequest(0);
    expect(first.id).toBe('of b');
    first.succeed({ restored: [{ id: 'b', status: 'verified', regressed: true }] });
    await vi.waitFor(() =>
      expect(messages.undone).toHaveBeenCalledWith(
        [{ id: 'b', title: 'b', status: 'verified', regressed: true }],
        0,
      ),
    );
    expect(shown.get('b')).toBe('verified');
    triage.undo();
    const second = await undoRequest(1);
    expect(second.id).toBe('of a');
    second.succeed({ conflicts: [{ id: 'a', status: 'confirmed' }] });
    await vi.waitFor(() => expect(messages.undone).toHaveBeenLastCalledWith([], 1));
    triage.undo();
    await vi.waitFor(() => expect(messages.nothingToUndo).toHaveBeenCalled());
  });

  it('can undo again what could not be undone', async () => {
    const { triage, request, undoRequest, messages } = setUp();
    triage.run([change('a')]);
    (await request(0)).succeed({ change_id: 'of a' });
    await vi.waitFor(() => expect(messages.changed).toHaveBeenCalled());
    triage.undo();
    (await undoRequest(0)).fail(denied);
    await vi.waitFor(() => expect(messages.failed).toHaveBeenCalled());
    triage.undo();
    expect((await undoRequest(1)).id).toBe('of a');
  });

  it('undoes the change of another page, and all requests of a large one, the last first', async () => {
    const undoable = createUndoStack();
    const list = setUp(undoable);
    list.triage.run(many(BATCH + 1));
    (await list.request(0)).succeed({ change_id: 'first' });
    (await list.request(1)).succeed({ change_id: 'second' });
    await vi.waitFor(() => expect(list.messages.changed).toHaveBeenCalled());

    const page = setUp(undoable);
    page.triage.undo();
    const last = await page.undoRequest(0);
    expect(last.id).toBe('second');
    last.succeed({ restored: [{ id: `f${BATCH}`, status: 'open', regressed: false }] });
    (await page.undoRequest(1)).succeed({ restored: [{ id: 'f0', status: 'open', regressed: false }] });
    await vi.waitFor(() => expect(page.messages.undone).toHaveBeenCalled());
    expect(page.messages.undone.mock.calls[0]?.[0]).toHaveLength(2);
  });

  it('reports what someone else has changed, and overwrites it only if nobody changes it again', async () => {
    const { triage, shown, request, messages } = setUp();
    triage.run([{ ...change('a'), if_status: 'open' }]);
    const first = await request(0);
    expect(first.conditions).toEqual(['open']);
    first.succeed({
      updated: [],
      conflicts: [{ id: 'a', status: 'wontfix' }],
      change_id: undefined,
    } as never);
    await vi.waitFor(() => expect(messages.conflicts).toHaveBeenCalled());
    expect(messages.changed).not.toHaveBeenCalled();
    expect(shown.has('a')).toBe(false);
    const [conflicts, overwrite] = messages.conflicts.mock.calls[0] ?? [];
    expect(conflicts).toMatchObject([{ id: 'a', now: 'wontfix' }]);
    overwrite();
    const second = await request(1);
    expect([second.ids, second.conditions]).toEqual([['a'], ['wontfix']]);
  });

  it('restores the display and reports the error when the service refuses', async () => {
    const { triage, shown, request, messages } = setUp();
    triage.run([change('a')]);
    (await request(0)).fail(denied);
    await vi.waitFor(() => expect(messages.failed).toHaveBeenCalledTimes(1));
    expect(messages.failed.mock.calls[0]?.[1]).toBe(denied);
    expect(shown.has('a')).toBe(false);
    // The decision is not lost.
    messages.failed.mock.calls[0]?.[2]();
    expect(shown.has('a')).toBe(true);
    expect(await request(1)).toMatchObject({ ids: ['a'] });
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
    expect(triage.job()?.left).toBe(BATCH + 1);
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
    (await request(0)).succeed({ updated, failed: [{ id: 'b', message: 'The finding does not exist.' }] });
    await vi.waitFor(() => expect(triage.job()?.running).toBe(false));
    expect(triage.job()?.failed).toEqual([{ ...change('b'), why: 'The finding does not exist.' }]);
    expect([...shown.keys()]).toEqual(['a']);
    triage.retry();
    expect((await request(1)).ids).toEqual(['b']);
  });
});

describe('the triage of all findings that match a filter', () => {
  const change: MatchingChange = { filter: { severity: ['low'] }, total: 5_000, status: 'fixed' };
  const updated = (count: number) => Array.from({ length: count });
  const conflict = new ServiceError(new Response(null, { status: 409 }), {
    errors: [{ type: 'resource_error', code: 'conflict', message: 'Other findings match.' }],
  });

  it('sends the number first, then continues, and undoes all requests, the last first', async () => {
    const { triage, matching, matchingRequest, undoRequest, messages, refresh } = setUp();
    const onDone = vi.fn();
    triage.runMatching(change, onDone);
    const first = await matchingRequest(0);
    first.succeed({ updated: updated(2_000), change_ids: ['a', 'b'], next: 'f2000' });
    const second = await matchingRequest(1);
    expect(triage.job()).toMatchObject({ total: 5_000, done: 2_000, running: true });
    // Somebody has changed two of them, and one no longer matches.
    second.succeed({ updated: updated(2_997), conflicts: updated(2), change_ids: ['c'] });
    await vi.waitFor(() => expect(onDone).toHaveBeenCalledTimes(1));
    expect(matching.map(({ step }) => step)).toEqual([{ expected_count: 5_000 }, { after: 'f2000' }]);
    const result = { done: 4_997, kept: 2, gone: 1 };
    expect(messages.changedMatching).toHaveBeenCalledWith(change, result, expect.any(Function));
    expect(refresh).toHaveBeenCalledTimes(1);
    expect(triage.job()).toBeUndefined();

    triage.undo();
    for (const [i, id] of ['c', 'b', 'a'].entries()) {
      const undo = await undoRequest(i);
      expect(undo.id).toBe(id);
      undo.succeed({ restored: [{ id: `f${i}`, status: 'open', regressed: false }] });
    }
    await vi.waitFor(() => expect(messages.undone).toHaveBeenCalledTimes(1));
  });

  it('stops after the request in progress, continues from there, and undoes both parts together', async () => {
    const { triage, matching, matchingRequest, undoRequest, undos, messages } = setUp();
    triage.runMatching(change);
    const first = await matchingRequest(0);
    triage.stop();
    first.succeed({ updated: updated(2_000), change_ids: ['a'], next: 'f2000' });
    await vi.waitFor(() => expect(triage.job()).toMatchObject({ running: false, done: 2_000, left: 3_000 }));
    expect(matching).toHaveLength(1);
    triage.retry();
    const second = await matchingRequest(1);
    expect(second.step).toEqual({ after: 'f2000' });
    expect(triage.job()).toMatchObject({ total: 5_000, done: 2_000, running: true });
    second.succeed({ updated: updated(3_000), change_ids: ['b'] });
    await vi.waitFor(() =>
      expect(messages.changedMatching.mock.lastCall?.[1]).toEqual({ done: 5_000, kept: 0, gone: 0 }),
    );
    triage.undo();
    (await undoRequest(0)).succeed({});
    (await undoRequest(1)).succeed({});
    await vi.waitFor(() => expect(messages.undone).toHaveBeenCalledTimes(1));
    expect(undos.map(({ id }) => id)).toEqual(['b', 'a']);
    triage.undo();
    await vi.waitFor(() => expect(messages.nothingToUndo).toHaveBeenCalledTimes(1));
  });

  it('asks again when another number of findings matches by now', async () => {
    const { triage, matchingRequest, messages, count } = setUp();
    count.mockResolvedValue(5_001);
    triage.runMatching(change);
    (await matchingRequest(0)).fail(conflict);
    await vi.waitFor(() =>
      expect(messages.otherCount).toHaveBeenCalledWith(change, 5_001, expect.any(Function)),
    );
    expect(triage.job()).toBeUndefined();
    messages.otherCount.mock.lastCall?.[2]();
    expect((await matchingRequest(1)).step).toEqual({ expected_count: 5_001 });
  });

  it('tells how many findings a lost response may have changed, and keeps what was changed before', async () => {
    const { triage, matchingRequest, messages, undoRequest } = setUp();
    triage.runMatching(change);
    (await matchingRequest(0)).succeed({ updated: updated(2_000), change_ids: ['a'], next: 'f2000' });
    (await matchingRequest(1)).fail(new TypeError('Failed to fetch'));
    await vi.waitFor(() =>
      expect(triage.job()).toMatchObject({ running: false, left: 3_000, unknown: 2_000 }),
    );
    expect(messages.changedMatching).not.toHaveBeenCalled();
    triage.undo();
    expect((await undoRequest(0)).id).toBe('a');
  });

  it('lets a change of one finding wait for it', async () => {
    const { triage, requests, matchingRequest, request } = setUp();
    triage.runMatching({ ...change, total: 1 });
    triage.run([{ id: 'a', title: 'a', status: 'open' }]);
    const first = await matchingRequest(0);
    expect(requests).toHaveLength(0);
    first.succeed({ updated: updated(1), change_ids: ['x'] });
    expect((await request(0)).ids).toEqual(['a']);
  });
});
