import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createHashQueue, type HashQueueOptions } from '../../lib/accounts/passwords/hash-queue.ts';
import { DECOY_HASH } from '../../lib/accounts/passwords/passwords.ts';
import { networkOf } from '../../lib/network.ts';
import { createNodeHasher, defaultConcurrency } from '../../lib/node/argon2.ts';
import { createHashThreads } from '../../lib/node/hash-threads.ts';
import { limit } from '../support/run/limits.ts';
import { afterTest } from '../support/run/suite.ts';

const PASSWORD = 'Correct1horse';

describe('a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8::6', '2001:db8:0:0::/64'],
    ['2001:db8::5:6:192.0.2.7', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('is an IPv4 address, or a network of IPv6: %s', (address, client) => {
    expect(networkOf(address)).toBe(client);
  });
});

describe('the queue', () => {
  const unavailable = { key: 'server_error/unavailable', status: 500 };

  /** A queue whose work ends when it is told to, one after the other. */
  function openQueue(options: Partial<HashQueueOptions> = {}) {
    const queue = createHashQueue({ concurrency: 1, maxWaiting: 4, maxWaitMs: 60_000, ...options });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const settled = new Map<string, Promise<unknown>>();
    const enter = (client: string, name = client) => {
      const work = () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      };
      const run = queue.run(client, work);
      settled.set(
        name,
        run.then(
          () => 'done',
          (error) => error,
        ),
      );
    };
    const endOne = async () => {
      const before = begun.length;
      ends.shift()?.();
      if (queue.load().waiting > 0) await vi.waitFor(() => expect(begun.length).toBeGreaterThan(before));
    };
    return { queue, enter, begun, endOne, outcome: (name: string) => settled.get(name) };
  }

  it('runs as many at once as it may, and the next when one ends', async () => {
    const { queue, enter, begun, endOne } = openQueue({ concurrency: 2 });
    for (const name of ['a', 'b', 'c']) enter('x', name);
    expect(begun).toEqual(['a', 'b']);
    expect(queue.load().waiting).toBe(1);
    await endOne();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('lets clients take turns: one that sends many delays its own', async () => {
    const { enter, begun, endOne } = openQueue({ maxWaiting: 10 });
    for (const n of [1, 2, 3, 4]) enter('flood', `flood ${n}`);
    enter('ada');
    enter('bob');
    for (let i = 0; i < 5; i++) await endOne();
    expect(begun).toEqual(['flood 1', 'flood 2', 'ada', 'bob', 'flood 3', 'flood 4']);
  });

  it('refuses new requests at once when it is full, before and after asking for room', async () => {
    const { queue, enter, outcome } = openQueue();
    for (const n of [1, 2, 3, 4, 5, 6]) enter('flood', `flood ${n}`);
    expect(await outcome('flood 6')).toMatchObject(unavailable);
    expect(() => queue.requireRoom('flood')).toThrow(/^Too many passwords/);
    expect(queue.load()).toEqual({ waiting: 4, refused: { full: 2, late: 0 } });
  });

  it('makes room for another client, at the expense of the one with the most requests', async () => {
    const { queue, enter, begun, endOne, outcome } = openQueue();
    for (const n of [1, 2, 3, 4, 5]) enter('flood', `flood ${n}`);
    expect(() => queue.requireRoom('ada')).not.toThrow();
    enter('ada');
    expect(await outcome('flood 5')).toMatchObject(unavailable);
    await endOne();
    await endOne();
    expect(begun).toEqual(['flood 1', 'flood 2', 'ada']);
    expect(queue.load()).toEqual({ waiting: 2, refused: { full: 1, late: 0 } });
  });

  it.each(['2001:db8:1:2::', '2001:db8:1:'])(
    'does not take one client for many because it has many addresses or networks: %s',
    async (start) => {
      const { enter, begun, endOne, outcome } = openQueue();
      const addressOf = (n: number) => (start.endsWith('::') ? `${start}${n}` : `${start}${n}::1`);
      for (const n of [1, 2, 3, 4, 5, 6]) enter(addressOf(n), `flood ${n}`);
      expect(await outcome('flood 6')).toMatchObject(unavailable);
      // A client of another network displaces the flood, and does not wait for all of it.
      enter('2001:db8:2:1::1', 'ada');
      enter('192.0.2.7', 'bob');
      expect(await outcome('flood 5')).toMatchObject(unavailable);
      await endOne();
      await endOne();
      await endOne();
      expect(begun).toEqual(['flood 1', 'flood 2', 'ada', 'bob']);
    },
  );

  it('serves the clients of one network in turn', async () => {
    const { enter, begun, endOne } = openQueue({ maxWaiting: 10 });
    for (const n of [1, 2, 3]) enter('2001:db8:1:1::1', `flood ${n}`);
    enter('2001:db8:1:2::1', 'neighbour');
    enter('2001:db8:2:1::1', 'ada');
    for (let i = 0; i < 4; i++) await endOne();
    expect(begun).toEqual(['flood 1', 'flood 2', 'ada', 'neighbour', 'flood 3']);
  });

  it('refuses requests that have waited too long, and goes on with the others', async () => {
    const { queue, enter, begun, endOne, outcome } = openQueue({ maxWaitMs: 20 });
    enter('ada', 'first');
    enter('ada', 'late');
    expect(await outcome('late')).toMatchObject(unavailable);
    expect(queue.load()).toEqual({ waiting: 0, refused: { full: 0, late: 1 } });
    await endOne();
    expect(await outcome('first')).toBe('done');
    enter('ada', 'next');
    expect(begun).toEqual(['first', 'next']);
  });

  it('goes on when the work fails', async () => {
    const queue = createHashQueue({ concurrency: 1, maxWaiting: 4, maxWaitMs: 60_000 });
    const all = [true, false, true].map((ok) =>
      queue.run('ada', () => (ok ? Promise.resolve('done') : Promise.reject(new Error('no')))),
    );
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await queue.run('ada', async () => 'done')).toBe('done');
  });
});

describe('the hasher', () => {
  it("leaves libuv's thread pool to files: one is read while 40 wrong passwords are checked", async () => {
    const hasher = createNodeHasher({ maxWaitMs: limit(60_000) });
    const hash = await hasher.hash(PASSWORD);
    let checked = 0;
    const flood = Array.from({ length: 40 }, () =>
      hasher.verify(hash, 'Wrong1password').finally(() => checked++),
    );
    await flood[0];
    await readFile(import.meta.filename);
    expect(checked).toBeLessThan(20);
    expect(await Promise.all(flood)).not.toContain(true);
  });

  it('spends a hash with the same parameters where there is none', async () => {
    const hasher = createNodeHasher();
    const shape = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/;
    expect(await hasher.hash(PASSWORD)).toMatch(shape);
    expect(DECOY_HASH).toMatch(shape);
    expect(await hasher.verify(undefined, PASSWORD)).toBe(false);
  });

  it('uses half of the processors by default, and four at the most', () => {
    const half = Math.max(1, Math.floor(availableParallelism() / 2));
    expect(defaultConcurrency()).toBe(Math.min(4, half));
  });

  it('fails alone where a stored hash is none', async () => {
    const hasher = createNodeHasher({ concurrency: 1 });
    const hash = await hasher.hash(PASSWORD);
    const outcomes = await Promise.allSettled(
      ['no hash', hash].map((stored) => hasher.verify(stored, PASSWORD)),
    );
    expect(outcomes).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: true }]);
  });

  it('does not keep its process alive', async () => {
    const script = `
      import { createNodeHasher } from './lib/node/argon2.ts';
      console.log(await createNodeHasher().verify(null, 'x'));`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: join(import.meta.dirname, '../..'),
      timeout: limit(25_000),
    });
    expect(stdout).toBe('false\n');
  });
});

describe('threads', () => {
  const job = { password: PASSWORD, stored: DECOY_HASH };

  /** Threads that run a program of the test. */
  async function threadsOf(program: string, maxRunMs = 60_000) {
    const dir = await mkdtemp(join(tmpdir(), 'svc-threads-'));
    afterTest(() => rm(dir, { recursive: true }));
    const file = join(dir, 'thread.mjs');
    await writeFile(file, `import { parentPort } from 'node:worker_threads';\n${program}`);
    const threads = createHashThreads(file, maxRunMs);
    afterTest(() => Promise.all(threads.running().map((thread) => thread.terminate())));
    return threads;
  }

  it('start with the first password, and are used again', async () => {
    const threads = createHashThreads();
    expect(threads.running()).toHaveLength(0);
    await threads.run(job);
    await threads.run(job);
    expect(threads.running()).toHaveLength(1);
  });

  it('that end are replaced, and fail the one password they were given', async () => {
    const threads = await threadsOf(`parentPort.on('message', ({ password }) => {
      if (password === 'die') process.exit(1);
      if (password === 'throw') throw new Error('broken');
      parentPort.postMessage({ result: password });
    });`);
    const outcomes = await Promise.allSettled(
      ['die', 'a', 'throw', 'b'].map((password) => threads.run({ password })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await threads.run({ password: 'c' })).toBe('c');
  });

  it('that end while they have nothing to do are replaced', async () => {
    const threads = createHashThreads();
    await threads.run(job);
    const [thread] = threads.running();
    await thread?.terminate();
    expect(await threads.run(job)).toBe(false);
  });

  it('that do not answer are given up', async () => {
    const threads = await threadsOf("parentPort.on('message', () => {});", 50);
    await expect(threads.run(job)).rejects.toThrow('not hashed within 50 ms');
    await vi.waitFor(() => expect(threads.running()).toEqual([]));
  });

  it('that cannot start fail every password, and nothing else', async () => {
    const threads = await threadsOf('import "./not-there.mjs";');
    for (let i = 0; i < 2; i++) await expect(threads.run(job)).rejects.toThrow('not-there');
  });

  it.runIf(process.platform === 'linux')('have a lower priority than the rest of the process', async () => {
    const threads = createHashThreads();
    await threads.run(job);
    const { stdout } = await promisify(execFile)('sh', ['-c', `cat /proc/${process.pid}/task/*/stat`]);
    // Behind the command in parentheses, nice is the 17th field.
    const nice = stdout
      .trim()
      .split('\n')
      .map((line) => Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[16]));
    expect(nice).toContain(10);
    expect(Math.min(...nice)).toBeLessThan(10);
  });
});
