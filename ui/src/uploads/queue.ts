import * as text from '#strings/uploads/problems.ts';
import { ServiceError } from '../../../lib/client/index.ts';
import { createStore } from '../app/store.ts';
import { limitIn, tooLarge } from './limit.ts';
import {
  type Destination,
  type Dropped,
  type ImportedReport,
  isActive,
  type Progress,
  type Upload,
  type UploadState,
} from './upload.ts';

interface SendEvents {
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

interface Services {
  send(report: Destination & { file: File; label: string }, events: SendEvents): Promise<ImportedReport>;
  /** Called when the data of the project may have changed. */
  onChanged(): void;
  now?: () => number;
}

/** The service reads one report of an organization at a time. Meanwhile the next one is sent. */
const AT_ONCE = 2;
/** Files that are added at a time. */
export const MAX_FILES = 100;
/** Requests for a file that is refused because the service is busy. */
const MAX_ATTEMPTS = 30;
const DEFAULT_WAIT_S = 5;

export type Uploads = ReturnType<typeof createUploads>;

/** The uploads of a page: sends a bounded number of files at once, and repeats what the service is too busy for. */
export function createUploads({ send, onChanged, now = Date.now }: Services) {
  const list = createStore<readonly Upload[]>([]);
  const running = new Map<number, AbortController>();
  let nextId = 1;
  /** The largest file that the service imports, known from a refusal. */
  let limit: number | undefined;

  const find = (id: number) => list.get().find((one) => one.id === id);

  const setState = (id: number, state: UploadState) =>
    list.set(list.get().map((one) => (one.id === id ? { ...one, state } : one)));

  function startNext(): void {
    for (const { id, file, state } of list.get()) {
      if (running.size >= AT_ONCE) return;
      if (state.kind === 'queued' && file && !running.has(id)) void run(id, file);
    }
  }

  async function run(id: number, file: File): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    running.set(id, controller);
    let wasSent = false;
    const events = {
      signal,
      onProgress(progress: Progress) {
        if (signal.aborted) return;
        wasSent = progress.kind === 'importing';
        setState(id, progress);
      },
    };
    try {
      for (let attempt = 1; ; attempt++) {
        const upload = find(id);
        if (!upload || signal.aborted) return;
        if (limit !== undefined && file.size > limit) {
          setState(id, { kind: 'refused', ...tooLarge(limit) });
          return;
        }
        try {
          const report = await send({ ...upload.destination, file, label: upload.label }, events);
          if (signal.aborted) return;
          setState(id, { kind: 'imported', report });
          onChanged();
          return;
        } catch (error) {
          if (signal.aborted) return;
          limit = limitIn(error) ?? limit;
          if (!isBusy(error) || attempt === MAX_ATTEMPTS) {
            setState(id, { kind: 'failed', error, wasSent });
            if (wasSent) onChanged();
            return;
          }
          const waitMs = (error.retryAfter ?? DEFAULT_WAIT_S) * 1000;
          setState(id, { kind: 'waiting', until: now() + waitMs });
          await pause(waitMs, signal);
        }
      }
    } finally {
      running.delete(id);
      startNext();
    }
  }

  /** The label of a file: its name, with a number if the list already has the name. */
  function labelOf(name: string): string {
    const labels = new Set(list.get().map(({ label }) => label));
    let label = name;
    for (let number = 2; labels.has(label); number++) label = `${name} (${number})`;
    return label;
  }

  function add(label: string, file: File | undefined, destination: Destination, state: UploadState): void {
    list.set([...list.get(), { id: nextId++, label, file, destination, state }]);
  }

  const isBeingUploaded = (file: File, { projectId }: Destination) =>
    list
      .get()
      .some(
        (one) =>
          isActive(one) && one.destination.projectId === projectId && one.file && isSameFile(one.file, file),
      );

  function stop(upload: Upload): void {
    const { id, state } = upload;
    running.get(id)?.abort();
    setState(id, { kind: 'canceled', wasSent: state.kind === 'importing' });
    if (state.kind === 'importing') onChanged();
  }

  return {
    list,
    isBusy: (): boolean => list.get().some(isActive),
    /** Adds files in their order. Files that cannot be reports are listed with the reason and not sent. */
    add(dropped: readonly Dropped[], destination: Destination): void {
      for (const { name, file } of dropped.slice(0, MAX_FILES)) {
        const refused = refusalOf(file, file !== undefined && isBeingUploaded(file, destination));
        add(refused ? name : labelOf(name), file, destination, refused ?? { kind: 'queued' });
      }
      const more = dropped.length - MAX_FILES;
      if (more > 0) {
        add(text.moreFiles(more), undefined, destination, TOO_MANY);
      }
      startNext();
    },
    cancel(id: number): void {
      const upload = find(id);
      if (upload && isActive(upload)) stop(upload);
    },
    cancelAll(): void {
      for (const upload of list.get()) if (isActive(upload)) stop(upload);
    },
    /** Sends a file again. @param format read as this format now */
    retry(id: number, format: string): void {
      const again = (one: Upload): Upload => ({
        ...one,
        destination: { ...one.destination, options: { ...one.destination.options, format } },
        state: { kind: 'queued' },
      });
      list.set(list.get().map((one) => (one.id === id && !isActive(one) ? again(one) : one)));
      startNext();
    },
    remove(id: number): void {
      list.set(list.get().filter((one) => one.id !== id));
    },
    removeEnded(): void {
      list.set(list.get().filter(isActive));
    },
  };
}

const isBusy = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status === 429;

const isSameFile = (a: File, b: File) =>
  a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;

type Refused = Extract<UploadState, { kind: 'refused' }>;

const TOO_MANY: Refused = {
  kind: 'refused',
  title: text.tooManyFiles,
  advice: text.addFewer(MAX_FILES),
};

/** Why a file is not sent. @param file undefined for a folder */
function refusalOf(file: File | undefined, isRepeated: boolean): Refused | undefined {
  if (file === undefined) {
    return {
      kind: 'refused',
      title: text.isFolder,
      advice: text.openFolder,
    };
  }
  if (file.size === 0) {
    return {
      kind: 'refused',
      title: text.isEmpty,
      advice: text.checkScanner,
    };
  }
  if (!isRepeated) return undefined;
  return {
    kind: 'refused',
    title: text.isBeingUploaded,
    advice: text.notTwice,
  };
}

/** Resolves after a time, or when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
