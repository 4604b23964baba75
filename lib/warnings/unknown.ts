import { VARIABLE_NAMES } from '../config/variables.ts';
import type { Logger } from '../logger.ts';

/** Variables of svc-agent, Docker Compose, Kubernetes and tests, and the one that `removed.ts` names. */
const OTHERS =
  /^SVC_(?:(?:BASE_URL|API_KEY|PROJECT_ID|ORG|TRUSTED_HOSTS|PUBLISH|VERSION|MEMORY|WORKERS)$|TEST_|FINDINGS_)/;

const FARTHEST = 3;

/** Warns about variables that nothing reads, such as misspelled ones. Their values are not shown. */
export function warnOfUnknown(env: Record<string, string | undefined>, log: Pick<Logger, 'warn'>): void {
  for (const name of Object.keys(env)) {
    if (!/^SVC_/i.test(name) || VARIABLE_NAMES.includes(name) || OTHERS.test(name)) continue;
    const [nearest] = VARIABLE_NAMES.map((known) => ({
      known,
      distance: distanceOf(name.toUpperCase(), known),
    }))
      .filter(({ distance }) => distance <= FARTHEST)
      .sort((a, b) => a.distance - b.distance);
    const hint = nearest ? `: did you mean ${nearest.known}?` : '';
    log.warn(`${name} is not a setting of this version and has no effect${hint}`);
  }
}

/** The number of characters to insert, delete or replace (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, character] of [...from].entries()) {
    const next = [at + 1];
    for (const [i, other] of [...to].entries()) {
      const replaced = (row[i] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[i + 1] ?? 0) + 1, (next[i] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
