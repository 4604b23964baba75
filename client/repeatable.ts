interface Init {
  params?: { header?: Record<string, string> };
}

const BATCH = '/agent/findings/batch';
const KEY = 'Idempotency-Key';

/** Operations that the service describes as repeatable, although their methods are not. */
const REPEATABLE: ReadonlySet<string> = new Set([
  // Has a key, by which the service recognizes it.
  `post ${BATCH}`,
  // Counts one more push of the same finding.
  'post /agent/findings',
  // The same status changes nothing.
  'patch /agent/scans/{id}',
  'patch /agent/findings/{id}',
]);

/** Whether a call that may have been carried out can be sent again. */
export const isRepeatable = (method: string, path: string): boolean =>
  ['get', 'put', 'delete'].includes(method) || REPEATABLE.has(`${method} ${path}`);

/** Gives a batch without a key a new one. */
export function withKey<I extends Init>(method: string, path: string, init: I): I {
  if (`${method} ${path}` !== `post ${BATCH}` || hasKey(init.params?.header)) return init;
  const header = { ...init.params?.header, [KEY]: randomKey() };
  return { ...init, params: { ...init.params, header } };
}

const hasKey = (header: Record<string, string> = {}): boolean =>
  Object.entries(header).some(([name, value]) => name.toLowerCase() === KEY.toLowerCase() && value);

/** `crypto.randomUUID` is missing in pages that were loaded over http. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
