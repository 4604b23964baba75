import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../lib/client/index.ts';
import { byteSize } from '../../ui/src/components/bytes.ts';
import { limitIn } from '../../ui/src/uploads/limit.ts';
import { createUploads, MAX_FILES } from '../../ui/src/uploads/queue.ts';
import type { Dropped, ImportedReport, Progress } from '../../ui/src/uploads/upload.ts';

const TO = { projectId: 'p', options: { format: '', name: '', path: '', ref: '' } };
const REPORT = { format: 'trivy' } as ImportedReport;

const fileOf = (name: string, content = name): Dropped => ({
  name,
  file: new File([content], name, { lastModified: 1 }),
});

const refusal = (status: number, headers: Record<string, string> = {}, maxBytes?: number) =>
  new ServiceError(new Response(null, { status, headers }), {
    errors: [
      {
        code: status === 400 ? 'invalid_body' : 'exceeded',
        message: 'Refused.',
        details: maxBytes === undefined ? undefined : [{ field: 'max_bytes', message: String(maxBytes) }],
      },
    ],
  });

/** Uploads whose requests the test answers. */
function setUp() {
  const requests: {
    label: string;
    format: string;
    signal: AbortSignal;
    tell(progress: Progress): void;
    succeed(): void;
    fail(error: unknown): void;
  }[] = [];
  const onChanged = vi.fn();
  const uploads = createUploads({
    onChanged,
    send: ({ label, options }, { signal, onProgress }) =>
      new Promise((resolve, reject) => {
        const abort = () => reject(signal.reason);
        signal.addEventListener('abort', abort);
        const ended =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            signal.removeEventListener('abort', abort);
            settle(value);
          };
        const succeed = () => ended(resolve)(REPORT);
        const fail = ended(reject);
        requests.push({
          ...{ label, format: options.format, signal },
          ...{ tell: onProgress, succeed, fail },
        });
      }),
  });
  const states = () => uploads.list.get().map(({ label, state }) => `${label}: ${state.kind}`);
  const sent = () => requests.map(({ label }) => label);
  const idOf = (label: string) => uploads.list.get().find((one) => one.label === label)?.id ?? 0;
  return { uploads, requests, onChanged, states, sent, idOf };
}

/** Lets the promises of answered requests run. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('uploads', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('send two files at once, and the others in their order', async () => {
    const { uploads, requests, states, sent, onChanged } = setUp();
    uploads.add(
      ['a', 'b', 'c'].map((name) => fileOf(name)),
      TO,
    );
    uploads.add([fileOf('d')], TO);
    expect(sent()).toEqual(['a', 'b']);
    requests[1]?.tell({ kind: 'importing' });
    expect(states()).toEqual(['a: queued', 'b: importing', 'c: queued', 'd: queued']);
    expect(uploads.isBusy()).toBe(true);
    requests[1]?.succeed();
    await settle();
    // The first file has not told its progress, and is not sent again.
    expect(sent()).toEqual(['a', 'b', 'c']);
    requests[0]?.tell({ kind: 'sending', sent: 1, total: 2 });
    expect(states()).toEqual(['a: sending', 'b: imported', 'c: queued', 'd: queued']);
    expect(onChanged).toHaveBeenCalledTimes(1);
    for (const request of requests) request.succeed();
    await settle();
    requests[3]?.succeed();
    await settle();
    expect(states()).toEqual(['a: imported', 'b: imported', 'c: imported', 'd: imported']);
    expect(uploads.isBusy()).toBe(false);
  });

  it('wait as long as a busy service asks for, then send the file again', async () => {
    const { uploads, requests, states, sent } = setUp();
    uploads.add([fileOf('a')], TO);
    requests[0]?.fail(refusal(429, { 'retry-after': '7' }));
    await settle();
    expect(uploads.list.get()[0]?.state).toEqual({ kind: 'waiting', until: Date.now() + 7_000 });
    await vi.advanceTimersByTimeAsync(6_999);
    expect(sent()).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent()).toEqual(['a', 'a']);
    requests[1]?.succeed();
    await settle();
    expect(states()).toEqual(['a: imported']);
  });

  it('give up when the service stays busy', async () => {
    const { uploads, requests, states } = setUp();
    uploads.add([fileOf('a')], TO);
    for (let attempt = 0; states()[0] !== 'a: failed' && attempt < 100; attempt++) {
      requests[attempt]?.fail(refusal(429));
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(requests).toHaveLength(30);
  });

  it('end when they are canceled: while they are queued, sent, imported or wait', async () => {
    const { uploads, requests, states, sent, onChanged, idOf } = setUp();
    uploads.add(
      ['a', 'b', 'c', 'd'].map((name) => fileOf(name)),
      TO,
    );
    uploads.cancel(idOf('c'));
    uploads.cancel(idOf('a'));
    expect(requests[0]?.signal.aborted).toBe(true);
    expect(onChanged).not.toHaveBeenCalled();
    await settle();
    expect(sent()).toEqual(['a', 'b', 'd']);

    // The service has the file, and imports it although nobody waits for the answer.
    requests[1]?.tell({ kind: 'importing' });
    uploads.cancel(idOf('b'));
    expect(uploads.list.get()[1]?.state).toEqual({ kind: 'canceled', wasSent: true });
    expect(onChanged).toHaveBeenCalledTimes(1);

    requests[2]?.fail(refusal(429));
    await settle();
    uploads.cancelAll();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent()).toEqual(['a', 'b', 'd']);
    expect(states()).toEqual(['a: canceled', 'b: canceled', 'c: canceled', 'd: canceled']);
    expect(uploads.isBusy()).toBe(false);
  });

  it('keep the file of an upload that failed, and send it again in the format of then', async () => {
    const { uploads, requests, states, onChanged, idOf } = setUp();
    uploads.add([fileOf('a')], TO);
    requests[0]?.tell({ kind: 'importing' });
    const error = new TypeError('Failed to fetch');
    requests[0]?.fail(error);
    await settle();
    expect(uploads.list.get()[0]?.state).toEqual({ kind: 'failed', error, wasSent: true });
    // The report may have been imported.
    expect(onChanged).toHaveBeenCalledTimes(1);
    uploads.retry(idOf('a'), 'sarif');
    uploads.retry(idOf('a'), 'sarif');
    expect(requests.map(({ format }) => format)).toEqual(['', 'sarif']);
    requests[1]?.succeed();
    await settle();
    expect(states()).toEqual(['a: imported']);
  });

  it('start again only after the canceled request has ended', async () => {
    const { uploads, requests, states, idOf } = setUp();
    uploads.add([fileOf('a')], TO);
    uploads.cancel(idOf('a'));
    uploads.retry(idOf('a'), '');
    expect(requests).toHaveLength(1);
    await settle();
    expect(requests).toHaveLength(2);
    requests[0]?.tell({ kind: 'importing' });
    expect(states()).toEqual(['a: queued']);
  });

  it('tell files of the same name apart, and send a file once at a time', async () => {
    const { uploads, requests, states, sent } = setUp();
    uploads.add([fileOf('a', '1'), fileOf('a', '22'), fileOf('a', '1')], TO);
    expect(sent()).toEqual(['a', 'a (2)']);
    expect(states()).toEqual(['a: queued', 'a (2): queued', 'a: refused']);
    requests[0]?.succeed();
    await settle();
    uploads.add([fileOf('a', '1')], TO);
    expect(sent()).toEqual(['a', 'a (2)', 'a (3)']);
    // Another project is another destination.
    uploads.add([fileOf('a', '1')], { ...TO, projectId: 'other' });
    expect(states().at(-1)).toBe('a (4): queued');
  });

  it('refuse folders, empty files and too many files at a time', () => {
    const { uploads, states, sent } = setUp();
    uploads.add([{ name: 'reports' }, fileOf('empty', ' '.repeat(0))], TO);
    expect(states()).toEqual(['reports: refused', 'empty: refused']);
    uploads.removeEnded();
    expect(uploads.list.get()).toEqual([]);
    uploads.add(
      Array.from({ length: MAX_FILES + 2 }, (_, i) => fileOf(`f${i}`)),
      TO,
    );
    expect(states()).toHaveLength(MAX_FILES + 1);
    expect(states().at(-1)).toBe('2 more files: refused');
    expect(sent()).toEqual(['f0', 'f1']);
  });

  it('do not send what is above a limit that the service has named', async () => {
    const { uploads, requests, states, sent } = setUp();
    uploads.add([fileOf('small', '1234'), fileOf('large', '12345')], TO);
    requests[1]?.fail(refusal(400, {}, 4));
    await settle();
    uploads.add([fileOf('larger', '123456'), fileOf('fits', '4321')], TO);
    expect(sent()).toEqual(['small', 'large', 'fits']);
    await settle();
    expect(states()).toEqual(['small: queued', 'large: failed', 'larger: refused', 'fits: queued']);
  });

  it('do not take another refusal for the limit', () => {
    expect(limitIn(refusal(400, {}, 1024))).toBe(1024);
    expect(limitIn(refusal(400))).toBe(undefined);
    expect(limitIn(refusal(429, {}, 5))).toBe(undefined);
    expect(limitIn(new TypeError('more than 5 bytes'))).toBe(undefined);
  });
});

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1,023 bytes'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [1024 * 1024 - 1, '1 MiB'],
  [64 * 1024 * 1024, '64 MiB'],
  [2 ** 50, '1024 TiB'],
])('a size of %i bytes is written as %s', (bytes, text) => expect(byteSize(bytes)).toBe(text));
