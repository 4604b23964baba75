import type { Column } from '../../../db/backup/columns.ts';
import { insertRows, sharedTarget, type Target } from '../../../db/backup/restore.ts';
import { LAST } from '../../../db/backup/sections.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import type { SqlClient } from '../../../db/statements.ts';
import { AdminError, oneLine } from '../error.ts';
import { withIds } from './members.ts';
import type { RestorePlan } from './plan.ts';
import { readBackup } from './read.ts';

/** Rows of a statement, of about a megabyte. */
const BATCH_ROWS = 2_000;
const BATCH_CHARACTERS = 1024 * 1024;

/**
 * Inserts the rows of the tables of an organization, and at the end those of `LAST`.
 * @param columns of the tables that were created, by table
 * @param beforeLast called when all rows of the schema are inserted
 * @throws AdminError if the file has changed since it was verified, or its columns are not those of the schema
 */
export async function restoreRows(
  tx: SqlClient,
  plan: RestorePlan,
  columns: ReadonlyMap<string, Column[]>,
  beforeLast: () => Promise<void>,
): Promise<void> {
  const { backup, file, key, orgId, members } = plan;
  const changed = () => new AdminError(`${oneLine(file)} was changed while it was restored`);
  let target: Target | undefined;
  let batch: string[] = [];
  let characters = 0;
  let sha256: string | undefined;
  const flush = async () => {
    if (!target || batch.length === 0) return;
    const rows = batch;
    batch = [];
    characters = 0;
    if ((await insertRows(tx, target, rows)) !== rows.length) throw changed();
  };
  for await (const part of readBackup(file, key)) {
    if (part.kind === 'rows' && target) {
      for (const line of part.lines) {
        batch.push(withIds(line, members.ids));
        characters += line.length;
        if (batch.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS) await flush();
      }
    } else if (part.kind === 'section') {
      await flush();
      const [kind, table = ''] = part.name.split('.');
      if (kind === 'org')
        target = {
          ...{ schema: orgSchemaName(orgId), table },
          columns: inOrder(part.columns, columns.get(table), part.name),
        };
      else if (table === LAST) {
        await beforeLast();
        target = await sharedTarget(tx, LAST, orgId);
      } else target = undefined;
    } else if (part.kind === 'end') {
      await flush();
      sha256 = part.sha256;
    }
  }
  if (sha256 !== backup.sha256) throw changed();
}

/** The columns of a table in the order of the file. */
function inOrder(names: readonly string[], columns: readonly Column[] = [], section: string): Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const found = names.flatMap((name) => byName.get(name) ?? []);
  if (found.length === names.length && new Set(names).size === byName.size) return found;
  throw new AdminError(
    `the columns of ${section} in the backup are not those of its version (${columns.map(({ name }) => name).join(', ')})`,
  );
}
