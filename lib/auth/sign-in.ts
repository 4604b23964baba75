import type { Db } from '../../db/client.ts';
import type { PublicCall } from '../http/call.ts';
import type { Headers } from '../http/respond.ts';
import { loginNotification } from '../mail/templates.ts';
import type { Account } from './accounts.ts';
import { startSession } from './sessions.ts';
import { parseDevice } from './user-agent.ts';

/**
 * Ends a login: makes the session, and tells the owner about it.
 * @param before what belongs into the same transaction, such as using up a code; throws to refuse the login
 */
export async function signIn(
  call: PublicCall,
  account: Pick<Account, 'id' | 'name' | 'email'>,
  before?: (tx: Parameters<Parameters<Db['transaction']>[0]>[0]) => Promise<void>,
): Promise<Headers> {
  const { c, db, now, peer, services } = call;
  const headers = await db.transaction(async (tx) => {
    await before?.(tx);
    const { browser, os, deviceType } = parseDevice(c.req.header('user-agent'));
    const mail = loginNotification({ name: account.name, at: now, ip: peer.ip, browser, os, deviceType });
    await services.mail.enqueue(tx, account.email, mail);
    return startSession(tx, call, account.id);
  });
  services.mail.kick();
  return headers;
}
