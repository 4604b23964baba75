/** Counts the refused calls that each caller leaves in the audit log. Each process has its own count. */
export type RefusalCount = ReturnType<typeof createRefusalCount>;

/** A caller's refused calls of a minute that are recorded. More would fill the log and delay the changes of others. */
const MAX_PER_MINUTE = 100;
const MINUTE_MS = 60_000;

export function createRefusalCount(clock: () => Date) {
  let until = 0;
  const counts = new Map<string, number>();
  return {
    /**
     * Counts a refused call.
     * @param callerId user or token, in an organization
     * @returns whether to record it, and for the last one that is, the time until which no other is
     */
    add(callerId: string): { record: boolean; lastUntil?: Date } {
      const now = clock().getTime();
      if (now >= until) {
        counts.clear();
        until = now + MINUTE_MS;
      }
      const count = (counts.get(callerId) ?? 0) + 1;
      counts.set(callerId, count);
      if (count === MAX_PER_MINUTE) return { record: true, lastUntil: new Date(until) };
      return { record: count < MAX_PER_MINUTE };
    },
  };
}
