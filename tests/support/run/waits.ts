import { expect, vi } from 'vitest';
import { limit, WAIT_MS } from './limits.ts';

const isScaled = Symbol('scaled');

/** Applies `scaled` to the options of a function that waits, once. */
function scale<Wait extends (...args: never[]) => unknown>(
  wait: Wait & { [isScaled]?: true },
  scaled: (options: unknown) => object,
): Wait {
  if (wait[isScaled]) return wait;
  const waits = (callback: never, options: unknown) => wait(...([callback, scaled(options)] as never[]));
  return Object.assign(waits, { [isScaled]: true }) as unknown as Wait;
}

const toObject = (options: unknown) =>
  (typeof options === 'number' ? { timeout: options } : { ...(options as object) }) as { timeout?: number };

/** Multiplies the timeouts of `vi.waitFor`, `vi.waitUntil` and `expect.poll` by the margin for busy machines. */
export function scaleWaits(): void {
  const always = (options: unknown) => {
    const { timeout = WAIT_MS, ...others } = toObject(options);
    return { ...others, timeout: limit(timeout) };
  };
  vi.waitFor = scale(vi.waitFor, always);
  vi.waitUntil = scale(vi.waitUntil, always);
  expect.poll = scale(expect.poll, always);
}
