import QuickLRU from 'quick-lru';
import type { Database } from '../../db/client.ts';
import { readRevision } from '../../db/findings/counts/revision.ts';
import type { Projects } from '../../db/projects/reach.ts';
import { sha256Hex } from '../crypto/random.ts';
import type { Org } from '../orgs/directory.ts';

/** How long a revision is used again. Pages poll every 8 s and have to notice changes within 10 s. */
const REUSED_MS = 2_000;

/** Revisions that were read in the last two seconds: plain data, which outlives the database it was read from. */
export type KnownRevisions = QuickLRU<string, string>;

export const createKnownRevisions = (): KnownRevisions =>
  new QuickLRU({ maxSize: 10_000, maxAge: REUSED_MS });

/** Reads the revision of some projects of an organization, which is at most two seconds old. */
export type Revisions = (org: Pick<Org, 'id' | 'tables'>, projects?: Projects) => Promise<string>;

/**
 * Requests of one organization that reach the same projects share a query, and its result for two seconds: any number of open pages costs
 * one query.
 */
export function createRevisions(database: Database, known: KnownRevisions): Revisions {
  const reading = new Map<string, Promise<string>>();
  return async (org, projects) => {
    const key = projects === undefined ? org.id : `${org.id} ${sha256Hex(projects.toSorted().join())}`;
    const recent = known.get(key);
    if (recent !== undefined) return recent;
    let read = reading.get(key);
    if (!read) {
      // The revision is as old as its query.
      const startedAt = Date.now();
      read = readRevision(database.of(org).sql, org.tables, projects)
        .then((revision) => {
          const left = REUSED_MS - (Date.now() - startedAt);
          if (left > 0) known.set(key, revision, { maxAge: left });
          return revision;
        })
        .finally(() => reading.delete(key));
      reading.set(key, read);
    }
    return read;
  };
}
