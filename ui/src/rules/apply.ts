import type { OrgSession } from '../app/session.ts';

/**
 * Applies a rule to findings that exist, in as many requests as it takes.
 * @param expected how many findings the user has been told
 * @returns how many findings were changed
 * @throws ServiceError `conflict` if others match by now; then nothing was changed
 */
export async function applyRule({ api }: OrgSession, id: string, expected: number): Promise<number> {
  const path = { path: { id } };
  let updated = 0;
  let step: { expected_count?: number; after?: string } = { expected_count: expected };
  for (;;) {
    const { result } = await api.post('/rules/{id}/apply', { params: path, body: step });
    updated += result.updated;
    if (result.next === undefined) return updated;
    step = { after: result.next };
  }
}

/** Restores what a rule has changed, except findings that somebody has changed since, in as many requests as it takes. */
export async function undoRule(
  { api }: OrgSession,
  id: string,
): Promise<{ restored: number; skipped: number }> {
  const sum = { restored: 0, skipped: 0 };
  let after: string | undefined;
  do {
    const body = after === undefined ? {} : { after };
    const { result } = await api.post('/rules/{id}/undo', { params: { path: { id } }, body });
    sum.restored += result.restored;
    sum.skipped += result.skipped;
    after = result.next;
  } while (after !== undefined);
  return sum;
}
