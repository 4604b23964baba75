import { and, eq } from 'drizzle-orm';
import type { Database } from '../../../db/client.ts';
import { retried } from '../../../db/errors.ts';
import { createIds } from '../../../db/ids.ts';
import { users } from '../../../db/schema/accounts.ts';
import { personalTokens } from '../../../db/schema/personal-tokens.ts';
import { deleteAccount } from '../../accounts/deletion/delete.ts';
import { eraseNow } from '../../accounts/deletion/erase.ts';
import { exportAccount } from '../../accounts/export/export.ts';
import type { Config } from '../../config/config.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import { ApiError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { createQueuedMails } from '../../mail/queued-mails.ts';
import { accountDeleted } from '../../mail/templates/changes.ts';
import { createKnownOrgs } from '../../orgs/directory.ts';
import { logOperatorEvent } from '../../security-events.ts';
import { AdminError, oneLine } from '../error.ts';
import type { Tracks } from '../migrations.ts';
import { operator, operatorActor } from '../operator.ts';
import { findUser } from './account.ts';

/** Revokes a personal access token of an account. */
export async function revokeToken({ db }: Database, log: Logger, name: string, tokenId: string) {
  const { id, email } = await findUser(db, name);
  const isUuid = /^[0-9a-f-]{36}$/i.test(tokenId);
  const [token] = isUuid
    ? await db
        .delete(personalTokens)
        .where(and(eq(personalTokens.userId, id), eq(personalTokens.id, tokenId)))
        .returning({ id: personalTokens.id, name: personalTokens.name })
    : [];
  if (!token) throw new AdminError(`${email} has no personal access token "${oneLine(tokenId)}"`);
  logOperatorEvent(log, 'token_revoked', { account: id, operator: operator(), revoked: token.id });
  return { email, ...token };
}

/** Everything that is stored about an account, in organizations that it has left too. */
export async function exportUser(
  database: Database,
  log: Logger,
  name: string,
  { box, version }: { box: SecretBox; version: number },
): Promise<unknown> {
  const { id, email } = await findUser(database.db, name);
  let text = '';
  const options = { database, box, now: new Date(), version, orgs: 'all' as const };
  for await (const part of exportAccount(options, id)) text += part;
  if (text === '') throw new AdminError(`account "${email}" does not exist`);
  logOperatorEvent(log, 'account_exported', { account: id, operator: operator() });
  return JSON.parse(text);
}

/** How long the command erases before it leaves the rest to servers. */
const ERASE_MS = 60_000;

/**
 * Deletes an account as its owner could. The last mail tells the owner.
 * @throws AdminError with the organizations whose only owner it is
 */
export async function deleteUser(
  database: Database,
  log: Logger,
  { user, confirm }: { user: string; confirm: string },
  { box, config, tracks }: { box: SecretBox; config: Config; tracks: Tracks },
): Promise<{ id: string; email: string; erased: boolean }> {
  const { db } = database;
  const clock = () => new Date();
  const nextId = createIds(clock);
  const mails = createQueuedMails({ db, box, log, clock, nextId });
  const { id } = await findUser(db, user);
  const email = await retried(() =>
    db.transaction(async (tx) => {
      await tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for('no key update');
      const actor = operatorActor({ database, log, box });
      const left = await deleteAccount(tx, config, { userId: id, confirm, actor });
      await mails.write(tx, left.email, accountDeleted({ name: left.name, at: actor.now }));
      return left.email;
    }),
  ).catch((error) => {
    throw error instanceof ApiError ? new AdminError(reasonOf(error)) : error;
  });
  logOperatorEvent(log, 'account_deleted', { account: id, operator: operator() });
  const services = {
    ...{ clock, database, nextId },
    // The output says that it is erased.
    log: { ...log, info: () => {} },
    knownOrgs: createKnownOrgs(),
    mailBox: box,
    orgMigrations: tracks.org,
  };
  return { id, email, erased: await eraseNow(services, id, ERASE_MS) };
}

function reasonOf({ key, message, details = [] }: ApiError): string {
  if (key === 'validation_error/field_invalid') return '--confirm must be the primary address of the account';
  const slugs = details.map((detail) => detail.message).join(', ');
  return slugs ? `the account is the only owner of: ${slugs}; make another member an owner first` : message;
}
