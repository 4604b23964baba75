import { OverShareError } from '../../fair-share/over-share.ts';

/** Exports of an account that a process writes at a time. Each reads all findings and activity of its organizations. */
const AT_ONCE = 3;

const running = new Map<string, number>();

/** Passes on the parts of an export. @throws OverShareError before the first one, if too many of the account are under way */
export async function* fewAtOnce(userId: string, parts: AsyncGenerator<string>): AsyncGenerator<string> {
  const others = running.get(userId) ?? 0;
  if (others >= AT_ONCE) throw new OverShareError('Too many exports of this account are in progress.');
  running.set(userId, others + 1);
  try {
    yield* parts;
  } finally {
    const left = (running.get(userId) ?? 1) - 1;
    if (left > 0) running.set(userId, left);
    else running.delete(userId);
  }
}
