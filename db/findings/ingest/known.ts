import { sql } from 'drizzle-orm';
import type { OrgTables } from '../../schema/org.ts';
import type { FindingStatus } from '../../schema/values.ts';
import { listText, run, type SqlClient } from '../../statements.ts';

/** A finding that a push with its fingerprint would find. */
export interface KnownFinding {
  id: string;
  fingerprint: string;
  status: FindingStatus;
  regressed: boolean;
  proposed: boolean | null;
  source: string | null;
  file: string | null;
  line: number | null;
}

/** Reads the findings of a project that have one of these fingerprints. */
export function findKnown(
  client: SqlClient,
  { findings }: OrgTables,
  projectId: string,
  fingerprints: readonly string[],
): Promise<KnownFinding[]> {
  return run(
    client,
    sql`
select f.id, f.fingerprint, f.status, f.regressed, f.proposed, f.source, f.file, f.line from unnest(${listText(fingerprints)}::text[]) k(fingerprint)
join ${findings} f on f.project_id = ${projectId}::uuid and f.fingerprint = k.fingerprint`,
  );
}
