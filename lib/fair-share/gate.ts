import { ACQUIRE_TIMEOUT_MS, OVER_SHARE } from '../../db/pool/semaphore.ts';

/** Admits requests to organizations, so that one that sends many at a time does not delay the others. */
export interface OrgGate {
  /**
   * Lets a request go on: at once while no other organization asks for anything.
   * @returns a function to call once the request is answered, or waits for expensive work
   * @throws `OVER_SHARE` when it takes too long
   */
  enter(orgId: string): (() => void) | Promise<() => void>;
  /** Whether no other organization asks for anything. */
  isAlone(orgId: string): boolean;
  /**
   * Runs a part of expensive work: at once while no other organization asks for anything, else after the parts of the same
   * organization that came before. So an organization keeps at most one processor busy with such work.
   */
  oneAtATime<T>(orgId: string, part: () => Promise<T>): Promise<T>;
  /**
   * For how many milliseconds expensive work rests after a part that took `ms`: not at all while no other organization asks
   * for anything.
   */
  restAfter(orgId: string, ms: number): number;
}

/** Rests last this many times as long as the work, which leaves processor time to others. */
const REST = 3;
const MAX_REST_MS = 1_000;

/**
 * Requests of one organization that are worked on at a time while there are others. It is enough to fill the statements that
 * write pushes; a hundred at once would be read and answered in one go, which takes this thread more than 10 ms.
 */
export const REQUESTS_AT_ONCE = 8;
/**
 * Where more wait, the next is admitted when as much time has passed as the last one took: an organization that always has
 * more to do leaves half of its time to others.
 */
const MAX_PAUSE_MS = 50;
/** Requests of an organization within this time count as present demand. */
const RECENT_MS = 500;
/** A request that takes longer makes room for another. */
const LONG_MS = 1_000;
const LOOK_MS = 250;

interface Waiting {
  begin(): void;
  refuse(error: Error): void;
  deadline: number;
}

interface Inside {
  since: number;
  leave(): void;
}

interface Line {
  inside: Set<Inside>;
  waiting: Waiting[];
}

/** @param options.rests false where what rests would keep a connection that others wait for */
export function createOrgGate({ timeoutMs = ACQUIRE_TIMEOUT_MS, rests = true } = {}): OrgGate {
  const lines = new Map<string, Line>();
  /** The last part of expensive work of each organization; resolves when it is over. */
  const lastParts = new Map<string, Promise<void>>();
  let looking: ReturnType<typeof setInterval> | undefined;
  /** The two organizations that asked last. */
  let latest = { id: '', at: Number.NEGATIVE_INFINITY };
  let other = latest;

  function note(id: string): void {
    const at = performance.now();
    if (latest.id === id) {
      latest.at = at;
      return;
    }
    other = latest;
    latest = { id, at };
  }

  function othersThan(id: string): boolean {
    const { at } = latest.id === id ? other : latest;
    return performance.now() - at < RECENT_MS;
  }

  function lineOf(id: string): Line {
    let line = lines.get(id);
    if (!line) {
      line = { inside: new Set(), waiting: [] };
      lines.set(id, line);
    }
    return line;
  }

  const hasRoom = (id: string, { inside }: Line) => inside.size < REQUESTS_AT_ONCE || !othersThan(id);

  function letIn(id: string, line: Line): () => void {
    let left = false;
    const inside: Inside = {
      since: performance.now(),
      leave() {
        if (left) return;
        left = true;
        const rest = line.waiting.length > 0 && othersThan(id) ? performance.now() - inside.since : 0;
        if (rest > 0) setTimeout(makeRoom, Math.min(MAX_PAUSE_MS, rest));
        else makeRoom();
      },
    };
    const makeRoom = () => {
      line.inside.delete(inside);
      admit(id, line);
    };
    line.inside.add(inside);
    return inside.leave;
  }

  function admit(id: string, line: Line): void {
    while (line.waiting.length > 0 && hasRoom(id, line)) {
      line.waiting.shift()?.begin();
    }
    if (line.inside.size === 0) lines.delete(id);
  }

  /**
   * Admits those whose organization has become the only one, or whose others wait for something, such as a body or a lock;
   * refuses those that have waited too long.
   */
  function look(): void {
    const now = performance.now();
    let waiting = 0;
    for (const [id, line] of [...lines]) {
      while (line.waiting[0] && line.waiting[0].deadline <= now) {
        const error = new Error(`not admitted within ${timeoutMs} ms`);
        line.waiting.shift()?.refuse(Object.assign(error, { code: OVER_SHARE }));
      }
      if (line.waiting.length > 0)
        for (const { since, leave } of [...line.inside]) if (since < now - LONG_MS) leave();
      admit(id, line);
      waiting += line.waiting.length;
    }
    if (waiting > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  async function oneAtATime<T>(id: string, part: () => Promise<T>): Promise<T> {
    if (!rests || !othersThan(id)) return part();
    const result = (lastParts.get(id) ?? Promise.resolve()).then(part);
    const over = result.then(
      () => {},
      () => {},
    );
    lastParts.set(id, over);
    try {
      return await result;
    } finally {
      if (lastParts.get(id) === over) lastParts.delete(id);
    }
  }

  return {
    oneAtATime,
    isAlone: (id) => !othersThan(id),
    restAfter: (id, ms) => (rests && othersThan(id) ? Math.min(MAX_REST_MS, REST * ms) : 0),
    enter(id) {
      note(id);
      const line = lineOf(id);
      if (line.waiting.length === 0 && hasRoom(id, line)) {
        return letIn(id, line);
      }
      looking ??= setInterval(look, LOOK_MS);
      return new Promise((resolve, refuse) => {
        const begin = () => resolve(letIn(id, line));
        line.waiting.push({ begin, refuse, deadline: performance.now() + timeoutMs });
      });
    },
  };
}
