import type { Db } from '../../db/client.ts';
import type { PublicCall } from '../http/call.ts';
import type { Headers } from '../http/respond.ts';
import { loginNotification } from '../mail/templates.ts';
import type { Account } from './accounts.ts';
import { deviceOf, startSession } from './sessions.ts';

/**
 * Ends a login: makes the session, and tells the owner about it.
 * @param before what belongs into the same transaction, such as using up a code; throws to refuse the login
 */
export async function signIn(
  call: PublicCall,
  account: Pick<Account, 'id' | 'name' | 'email'>,
  before?: (tx: Parameters<Parameters<Db['transaction']>[0]>[0]) => Promise<void>,
): Promise<Headers> {
  const { db, now, peer, services } = call;
  const device = deviceOf(call);
  const mail = loginNotification({ name: account.name, at: now, ip: peer.ip, ...device });
  const headers = await db.transaction(async (tx) => {
    // Sent one behind the other without waiting: what `before` refuses is rolled back.
    const [, , session] = await Promise.all([
      before?.(tx),
      services.mail.enqueue(tx, account.email, mail),
      startSession(tx, call, account.id, device),
    ]);
    return session;
  });
  services.mail.kick();
  return headers;
}
