/** An organization is active for this long after its latest request. */
const RECENT_MS = 500;

/** Remembers the two organizations with the latest requests, which is enough to know whether several are active. */
export function createActivity() {
  let latest = { id: '', at: Number.NEGATIVE_INFINITY };
  let other = latest;
  return {
    record(id: string): void {
      const at = performance.now();
      if (latest.id === id) latest.at = at;
      else [other, latest] = [latest, { id, at }];
    },
    isShared: (): boolean => performance.now() - other.at < RECENT_MS,
  };
}
