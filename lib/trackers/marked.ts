import { TrackerError } from './tracker.ts';

/** Issues that are read at once. Five texts of 30,000 characters, of which JSON makes up to six bytes each, are less than 1 MiB. */
export const PAGE_ISSUES = 5;
const MAX_PAGES = 100;
/** The clock of a tracker may be behind. */
const SKEW_MS = 10 * 60_000;

/** The time from which issues may have a marker, by the clock of the tracker. */
export const markedSince = (since: Date): Date => new Date(since.getTime() - SKEW_MS);

/** A page of issues, the newest first. */
export interface IssuePage {
  issues: { key: string; text: string }[];
  /** Where the next page begins. */
  next?: string | undefined;
}

/**
 * The key of the issue whose text has a marker.
 * @throws TrackerError `refused` after 500 issues: without knowing whether it exists, the service creates none
 */
export async function findMarked(
  marker: string,
  readPage: (next: string | undefined) => Promise<IssuePage>,
): Promise<string | undefined> {
  let next: string | undefined;
  for (let read = 0; read < MAX_PAGES; read++) {
    const page = await readPage(next);
    const found = page.issues.find(({ text }) => text.includes(marker));
    if (found) return found.key;
    next = page.next;
    if (next === undefined) return undefined;
  }
  throw new TrackerError(
    'refused',
    `The account of the token has created more than ${MAX_PAGES * PAGE_ISSUES} issues meanwhile. Whether this one is among them is not known.`,
  );
}
