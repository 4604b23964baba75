/** Reads `rows` while holding a permit, which limits the connections that slow clients can occupy. */
export async function* holdingPermit<T>(
  permit: Promise<() => void>,
  rows: AsyncGenerator<T>,
): AsyncGenerator<T> {
  const release = await permit;
  try {
    yield* rows;
  } finally {
    release();
  }
}

/** Requests the next batch while the current one is processed. */
export async function* prefetch<T>(batches: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    for (let pending = batches.next(); ; ) {
      const { done, value } = await pending;
      if (done) return;
      pending = batches.next();
      // The next iteration handles a rejection; this prevents an unhandled one until then.
      pending.catch(() => {});
      yield value;
    }
  } finally {
    await batches.return(undefined);
  }
}

/** Joins byte arrays. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
