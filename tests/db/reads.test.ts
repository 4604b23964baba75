import { describe, expect, it, vi } from 'vitest';
import type { TransactionSql } from '../../db/pool/query.ts';
import { createLagMeter } from '../../db/replica/lag.ts';
import { NotCurrent, type Position, refusalOf, type StandbyState } from '../../db/replica/position.ts';
import { createReads, type ReadRoute } from '../../db/replica/reads.ts';

/** A client that names its server, or fails with an error. */
const clientOf = (name: string, error?: Error) => ({
  begin: async <T>(run: (tx: TransactionSql) => T | Promise<T>) => {
    if (error) throw error;
    return run({ unsafe: () => Promise.resolve([{ name }]) } as never);
  },
});

const POSITION = { system: '7', database: 'findings', timeline: '00000001', lsn: '0/10' };
const org = { id: 'a' };

/** Reads over a primary, and a replica with this state. */
function readsOver(replica: {
  error?: Error;
  problem?: 'down' | 'refused';
  lagMs?: number;
  primary?: Error;
}) {
  const routes: ReadRoute[] = [];
  let goesDown = (_error: Error) => {};
  const down = new Promise<never>((_, reject) => {
    goesDown = reject;
  });
  down.catch(() => {});
  const position = async () => {
    if (replica.primary) throw replica.primary;
    return [POSITION];
  };
  const reads = createReads({
    primary: { of: () => ({ sql: { ...clientOf('primary'), unsafe: position } }) as never },
    replica: {
      state: () => ({ problem: replica.problem, reason: undefined, lagMs: replica.lagMs }),
      maxLagMs: 1_000,
      at: () => clientOf('replica', replica.error),
      unlessDown: (work) => Promise.race([work, down]),
      close: async () => {},
    },
    onRouted: (route) => routes.push(route),
  });
  return { reads, routes, goDown: () => goesDown(new Error('down')) };
}

async function all<T>(parts: AsyncGenerator<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

const nameOf = (tx: TransactionSql) => tx.unsafe('').then(([row]) => row?.name);
const failure = (code: string) => Object.assign(new Error(code), { code });

describe('an expensive read', () => {
  it('is answered by the replica', async () => {
    const { reads, routes } = readsOver({});
    expect(await reads.once(org, (client) => client.begin(nameOf))).toBe('replica');
    expect(routes).toEqual(['current']);
  });

  it.each([
    ['is down', { problem: 'down' }, 'down'],
    ['is no standby of the primary', { problem: 'refused' }, 'refused'],
    ['lags too much', { lagMs: 1_001 }, 'lagging'],
    ['does not catch up', { error: new NotCurrent('lagging', '') }, 'lagging'],
    ['was promoted since it was checked', { error: new NotCurrent('refused', '') }, 'refused'],
    ['loses the connection', { error: failure('CONNECTION_CLOSED') }, 'failed'],
    ['conflicts with the recovery', { error: failure('40001') }, 'failed'],
    ['shuts down', { error: failure('57P01') }, 'failed'],
    ['starts up', { error: failure('57P03') }, 'failed'],
    ['cannot be compared with the primary', { primary: failure('55000') }, 'failed'],
  ] as const)('is answered by the primary when the replica %s', async (_, replica, route) => {
    const { reads, routes } = readsOver(replica);
    expect(await reads.once(org, (client) => client.begin(nameOf))).toBe('primary');
    const [first] = await all(
      reads.stream(org, async function* (client) {
        yield await client.begin(nameOf);
      }),
    );
    expect(first).toBe('primary');
    expect(routes).toEqual([route, route]);
  });

  it('is answered by the primary when the replica goes down meanwhile, and does not wait for the replica', async () => {
    const { reads, routes, goDown } = readsOver({});
    const name = reads.once(org, async (client) => {
      const answer = await client.begin(nameOf);
      return answer === 'replica' ? new Promise<string>(() => {}) : answer;
    });
    goDown();
    expect(await name).toBe('primary');
    expect(routes).toEqual(['failed']);
  });

  it('is not repeated when it took too long: it would take as long on the primary', async () => {
    const { reads, routes } = readsOver({ error: failure('57014') });
    const name = reads.once(org, (client) => client.begin(nameOf));
    await expect(name).rejects.toMatchObject({ code: '57014' });
    expect(routes).toEqual([]);
  });

  it('without a replica is answered by the primary, which is not asked for its position', async () => {
    const primary = { of: () => ({ sql: clientOf('primary') }) as never };
    const reads = createReads({ primary, replica: undefined });
    expect(await reads.once(org, (client) => client.begin(nameOf))).toBe('primary');
  });
});

describe('a list', () => {
  const numbers = (failsAt: number) =>
    async function* (client: ReturnType<typeof clientOf>) {
      const name = await client.begin(nameOf);
      for (let i = 0; i < 3; i++) {
        if (name === 'replica' && i === failsAt) throw failure('40001');
        yield `${name} ${i}`;
      }
    };

  it('starts again on the primary when the replica fails before its first rows', async () => {
    const { reads, routes } = readsOver({});
    const parts = await all(reads.stream(org, numbers(0) as never));
    expect(parts).toEqual(['primary 0', 'primary 1', 'primary 2']);
    expect(routes).toEqual(['failed']);
  });

  it('fails when the replica fails behind its first rows, because these may be sent', async () => {
    const { reads, routes } = readsOver({});
    const parts = reads.stream(org, numbers(1) as never);
    expect(await parts.next()).toEqual({ done: false, value: 'replica 0' });
    await expect(parts.next()).rejects.toMatchObject({ code: '40001' });
    expect(routes).toEqual(['current']);
  });

  it('that waits for a replica which goes down starts again on the primary, and is ended on the replica', async () => {
    const { reads, goDown } = readsOver({});
    let comeBack = () => {};
    const back = new Promise<void>((resolve) => {
      comeBack = resolve;
    });
    const ended: string[] = [];
    const parts = all(
      reads.stream(org, async function* (client) {
        const name = await client.begin(nameOf);
        try {
          if (name === 'replica') await back;
          yield name;
        } finally {
          ended.push(name);
        }
      }),
    );
    goDown();
    expect(await parts).toEqual(['primary']);
    comeBack();
    await vi.waitFor(() => expect(ended).toEqual(['primary', 'replica']));
  });

  it('of the replica ends when its reader leaves', async () => {
    const { reads } = readsOver({});
    let isEnded = false;
    const parts = reads.stream(org, async function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        isEnded = true;
      }
    });
    await parts.next();
    await parts.return(undefined);
    expect(isEnded).toBe(true);
  });
});

describe('a server is refused as replica', () => {
  const primary: Position = { system: '7', database: 'findings', timeline: 2, lsn: 16n };
  const standby: StandbyState = { ...primary, isStandby: true };
  it.each([
    ['takes writes', { isStandby: false }, 'it is no standby: it takes writes of its own'],
    ['follows another PostgreSQL', { system: '8' }, 'it is a standby of another PostgreSQL'],
    ['shows another database', { database: 'other' }, 'its database is other, not findings'],
    ['has not noted a failover', { timeline: 1 }, 'it is on timeline 1, the primary on 2'],
    ['follows one that was promoted', { timeline: 3 }, 'it is on timeline 3, the primary on 2'],
  ])('that %s', (_, difference, refusal) => {
    expect(refusalOf({ ...standby, ...difference }, primary)).toBe(refusal);
    expect(refusalOf(standby, primary)).toBeUndefined();
  });
});

describe('the lag', () => {
  it('is the age of the oldest position that is not replayed', () => {
    const { measure } = createLagMeter();
    expect(measure({ at: 0, lsn: 10n }, 10n)).toBe(0);
    expect(measure({ at: 500, lsn: 20n }, 10n)).toBe(0);
    expect(measure({ at: 1_000, lsn: 30n }, 15n)).toBe(500);
    expect(measure({ at: 1_500, lsn: 40n }, 25n)).toBe(500);
    expect(measure({ at: 2_000, lsn: 40n }, 40n)).toBe(0);
  });

  it('does not grow while nothing is written', () => {
    const { measure } = createLagMeter();
    measure({ at: 0, lsn: 10n }, 10n);
    expect(measure({ at: 3_600_000, lsn: 10n }, 10n)).toBe(0);
    // Paused before the only write of an hour.
    expect(measure({ at: 3_601_000, lsn: 11n }, 10n)).toBe(0);
    expect(measure({ at: 3_602_000, lsn: 11n }, 10n)).toBe(1_000);
  });

  it('needs little memory when a replica stands still for days', () => {
    const { measure } = createLagMeter();
    let lag = 0;
    for (let i = 0; i < 10_000; i++) lag = measure({ at: i, lsn: BigInt(i) }, 0n);
    expect(lag).toBe(9_998);
  });
});
