import { and, asc, eq, gt, isNotNull, ne, not, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../../db/client.ts';
import { mfaDevices } from '../../db/schema/accounts.ts';
import { destinations } from '../../db/schema/destinations.ts';
import { ssoConnections } from '../../db/schema/orgs.ts';
import { outgoingMails } from '../../db/schema/platform.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { secretContext as webhookContext } from '../events/signature.ts';
import { secretContext } from '../sso/connection-fields.ts';
import { oneLine } from './error.ts';

/** The result for one kind of secrets. */
export interface ReencryptedKind {
  /** Encrypted with the first key by this run. */
  reencrypted: number;
  /** Changed or deleted by a server meanwhile. */
  skipped: number;
  /** Unchanged, because no configured key can decrypt them. */
  left: { id: string; reason: string }[];
}

export interface Reencrypted {
  totp_secrets: ReencryptedKind;
  client_secrets: ReencryptedKind;
  webhook_secrets: ReencryptedKind;
  queued_mails: ReencryptedKind;
}

const BATCH = 100;

/** The column of one kind of secrets. */
interface SecretColumn {
  table: typeof destinations | typeof mfaDevices | typeof outgoingMails | typeof ssoConnections;
  /** The name of `sealed` in the table. */
  name: 'secret' | 'formerSecret' | 'sealed' | 'clientSecret';
  id: PgColumn;
  sealed: PgColumn;
  box: SecretBox;
  /** The context of `SecretBox.seal`. */
  contextOf: (id: string) => string | undefined;
}

/**
 * Encrypts all TOTP secrets, client secrets of providers, secrets of webhooks and integrations, and queued mails with the first key, including secrets that
 * are stored unencrypted. A row is only updated if it has not changed since it was read, so servers may run. An interrupted run can be
 * repeated.
 */
export async function reencrypt(
  database: Database,
  { totp, mail }: { totp: SecretBox; mail: SecretBox },
  onBatch: (line: string) => void = () => {},
): Promise<Reencrypted> {
  const secrets: SecretColumn = {
    ...{ table: mfaDevices, id: mfaDevices.id, name: 'secret', sealed: mfaDevices.secret, box: totp },
    contextOf: () => undefined,
  };
  const clients: SecretColumn = {
    ...{
      table: ssoConnections,
      id: ssoConnections.id,
      name: 'clientSecret',
      sealed: ssoConnections.clientSecret,
    },
    ...{ box: totp, contextOf: secretContext },
  };
  const webhooks = (['secret', 'formerSecret'] as const).map(
    (name): SecretColumn => ({
      ...{ table: destinations, id: destinations.id, name, sealed: destinations[name], box: totp },
      contextOf: webhookContext,
    }),
  );
  const mails: SecretColumn = {
    ...{
      table: outgoingMails,
      id: outgoingMails.id,
      name: 'sealed',
      sealed: outgoingMails.sealed,
      box: mail,
    },
    contextOf: (id) => id,
  };
  return {
    totp_secrets: await reencryptKind(database, secrets, (n) => onBatch(`TOTP secrets: ${n}`)),
    client_secrets: await reencryptKind(database, clients, (n) => onBatch(`client secrets: ${n}`)),
    webhook_secrets: sumOf(
      await inTurn(webhooks, (n) => onBatch(`secrets of webhooks and integrations: ${n}`)),
    ),
    queued_mails: await reencryptKind(database, mails, (n) => onBatch(`queued mails: ${n}`)),
  };

  async function inTurn(
    columns: readonly SecretColumn[],
    report: (n: number) => void,
  ): Promise<ReencryptedKind[]> {
    const done: ReencryptedKind[] = [];
    for (const column of columns)
      done.push(await reencryptKind(database, column, (n) => report(sumOf(done).reencrypted + n)));
    return done;
  }
}

const sumOf = (kinds: readonly ReencryptedKind[]): ReencryptedKind => ({
  reencrypted: kinds.reduce((sum, { reencrypted }) => sum + reencrypted, 0),
  skipped: kinds.reduce((sum, { skipped }) => sum + skipped, 0),
  left: kinds.flatMap(({ left }) => left),
});

async function reencryptKind(
  { db }: Database,
  column: SecretColumn,
  onBatch: (reencrypted: number) => void,
): Promise<ReencryptedKind> {
  const { table, id, name, sealed, box, contextOf } = column;
  const result: ReencryptedKind = { reencrypted: 0, skipped: 0, left: [] };
  // Mails to members have no secret.
  const outdated = and(isNotNull(sealed), ne(sealed, ''), not(sql`starts_with(${sealed}, ${box.current})`));
  let after: SQL | undefined;
  for (;;) {
    const rows = await db
      .select({ id: sql<string>`${id}`, sealed: sql<string>`${sealed}` })
      .from(table)
      .where(and(outdated, after))
      .orderBy(asc(id))
      .limit(BATCH);
    for (const row of rows) {
      const context = contextOf(row.id);
      const text = await box.open(row.sealed, context).catch((error: Error) => error);
      if (text instanceof Error) {
        result.left.push({ id: row.id, reason: oneLine(text.message) });
        continue;
      }
      const renewed = { [name]: await box.seal(text, context) };
      const changed = await db
        .update(table)
        .set(renewed)
        .where(and(eq(id, row.id), eq(sealed, row.sealed)))
        .returning({ id });
      if (changed.length > 0) result.reencrypted++;
      else result.skipped++;
    }
    if (rows.length > 0) onBatch(result.reencrypted);
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return result;
    after = gt(id, last.id);
  }
}
