import type { Tx } from '../../../db/client.ts';
import type { LimitClient } from '../../accounts/limits/limits.ts';
import { spendChallenge } from '../../accounts/passkeys/challenges.ts';
import { type FoundPasskey, findPasskey, usePasskey } from '../../accounts/passkeys/passkeys.ts';
import { type PasskeySite, passkeySite } from '../../accounts/passkeys/site.ts';
import { type Assertion, readClientData, verifyAssertion } from '../../accounts/passkeys/webauthn.ts';
import { ApiError } from '../../errors.ts';
import { accountChanged } from '../../mail/templates/changes.ts';
import type { PublicCall } from '../call.ts';
import { mayMail } from '../mails.ts';
import { logSecurityEvent } from '../security-log.ts';

/** @throws ApiError `resource_error/conflict` if browsers refuse passkeys at this address */
export function usablePasskeySite({ services: { config } }: PublicCall): PasskeySite {
  const site = passkeySite(config);
  if (site.isUsable) return site;
  throw new ApiError('resource_error/conflict', {
    message: 'Passkeys need a host name, and this service is reached by an IP address (SVC_PUBLIC_URL).',
  });
}

/** A ceremony with a passkey that the account has. */
interface Ceremony {
  purpose: string;
  /** Without a password: the user must be verified, and the passkey be allowed to sign in. */
  alone: boolean;
  /** Pages of subdomains too. */
  where: 'base' | 'any';
  event: 'sign_in_failed' | 'step_up_failed';
  error: 'auth_error/invalid_credentials' | 'auth_error/mfa_invalid_code';
  /** Only this user's passkeys are accepted. */
  userId?: string;
  clientOf(account: FoundPasskey): LimitClient | Promise<LimitClient>;
}

/** A passkey whose signature is right. */
interface Proven {
  passkey: FoundPasskey;
  /** Spends the challenge and notes the use, in the transaction of what the passkey allows. Throws to refuse it. */
  use(tx: Tx): Promise<void>;
}

const REFUSED = 'The passkey was not accepted.';
/** Messages for the holder of a passkey, whose signature is right. */
const REASONS = {
  counter:
    'The passkey was not accepted, because its counter went backwards: it may have been copied. Remove it in your profile.',
  removed: REFUSED,
  'second factor only':
    'This passkey is a second factor only. Sign in with your password, then allow it in your profile.',
};

/**
 * Verifies the answer of a passkey, then runs what it allows. All refusals look alike, so that nobody learns which passkeys
 * exist; only a right signature gets a reason.
 */
export async function withPasskey<T>(
  call: PublicCall,
  given: Assertion,
  ceremony: Ceremony,
  run: (proven: Proven) => Promise<T>,
): Promise<T> {
  const { db, now, services } = call;
  const { purpose, alone, where, event, error, userId } = ceremony;
  const site = usablePasskeySite(call);
  const client = readClientData(given.response.clientDataJSON);
  const challenge = client && services.passkeyChallenges.open(client.challenge, purpose, now);
  if (!challenge) throw refused('challenge');
  if (client.crossOrigin || !site.isOrigin(client.origin, where)) throw refused('origin');
  const found = await findPasskey(db, given.id);
  if (!found || (userId !== undefined && found.id !== userId)) throw refused('unknown passkey', userId);
  const forget = await services.limits.guess('passkey', found.id, await ceremony.clientOf(found));
  const { userHandle } = given.response;
  if (userHandle === undefined ? alone : userHandle !== found.handle) throw refused('user handle', found.id);
  const key = { publicKey: found.publicKey, userVerified: alone };
  const verified = await verifyAssertion(site, given, client, key);
  if ('refused' in verified) throw refused(verified.refused, found.id);
  const { signCount } = verified;
  let isCopied = false;
  try {
    const result = await run({
      passkey: found,
      async use(tx) {
        if (!(await spendChallenge(tx, challenge))) throw refused('challenge used before', found.id);
        const reason = await usePasskey(tx, { deviceId: found.deviceId, signCount, alone }, now);
        if (reason === undefined) return;
        isCopied = reason === 'counter';
        throw refused(reason, found.id, REASONS[reason]);
      },
    });
    await forget();
    return result;
  } catch (cause) {
    if (isCopied) await tellCopied(call, found);
    throw cause;
  }

  function refused(reason: string, account?: string, message = REFUSED): ApiError {
    logSecurityEvent(call, event, { reason: `passkey: ${reason}`, account });
    return new ApiError(error, { message });
  }
}

/** Tells the owner of a passkey that it may have been copied. The refused transaction is over. */
async function tellCopied(call: PublicCall, { deviceName, email, name }: FoundPasskey): Promise<void> {
  const { db, now, peer, services } = call;
  await db.transaction(async (tx) => {
    if (!(await mayMail(tx, call, 'notice', email))) return;
    const facts = { name, at: now, ip: peer.ip, device: deviceName };
    await services.mail.enqueue(tx, email, accountChanged('passkey_copied', facts));
  });
  services.mail.kick();
}
