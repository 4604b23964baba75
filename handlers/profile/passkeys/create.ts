import { eq } from 'drizzle-orm';
import { toResource } from '../../../db/resources.ts';
import { mfaDevices } from '../../../db/schema/accounts.ts';
import { lockAccount } from '../../../lib/accounts/accounts.ts';
import { spendChallenge } from '../../../lib/accounts/passkeys/challenges.ts';
import { Passkey, passkeyFields } from '../../../lib/accounts/passkeys/passkeys.ts';
import { NewCredential, readClientData, verifyCredential } from '../../../lib/accounts/passkeys/webauthn.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { usablePasskeySite } from '../../../lib/http/accounts/passkeys.ts';
import { created } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { mailChange } from '../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { requireNoMore } from '../../../lib/quotas.ts';
import { text, z } from '../../../lib/schema.ts';

export const createPasskey = endpoint(
  {
    method: 'post',
    path: '/profile/passkeys',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: passkeys',
    summary: 'Add a passkey',
    description:
      'It signs in without a password from now on, and is a second factor while MFA is on. The owner is told by mail. The authenticator must have verified the user. Attestation certificates are refused.',
    request: {
      body: z.object({
        name: text({ min: 1, max: 100, trim: true, example: 'Laptop' }),
        credential: NewCredential,
      }),
    },
    responses: { 201: { description: 'The passkey.', result: Passkey } },
    errors: ['resource_error/already_exists', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, db, now, services, sessionId, user } = call;
    const site = usablePasskeySite(call);
    const client = readClientData(body.credential.response.clientDataJSON);
    const purpose = `register ${sessionId}`;
    const challenge = client && services.passkeyChallenges.open(client.challenge, purpose, now);
    if (!challenge) throw refused('answers no valid challenge of this session; start again');
    if (client.crossOrigin || !site.isOrigin(client.origin, 'any'))
      throw refused(`was made on another site; passkeys work on ${site.rpId}`);
    const proven = await verifyCredential(site, body.credential, client);
    if ('refused' in proven) throw refused(`cannot be verified: ${proven.refused}`);
    const { id, at: createdAt } = services.nextId();
    const row = await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      if (!(await spendChallenge(tx, challenge))) throw refused('was sent before; start again');
      const [inserted] = await tx
        .insert(mfaDevices)
        .values({
          ...{ id, userId: user.id, name: body.name, createdAt, ...proven },
          ...{ type: 'passkey', verified: true, signsIn: true },
        })
        .onConflictDoNothing({ target: mfaDevices.credentialId })
        .returning(passkeyFields);
      if (!inserted)
        throw new ApiError('resource_error/already_exists', {
          message: 'This passkey is registered already.',
        });
      const own = eq(mfaDevices.userId, user.id);
      await requireNoMore(tx, services.config, 'mfaDevicesPerAccount', mfaDevices, own);
      await mailChange(tx, call, 'passkey_added', { device: body.name });
      return inserted;
    });
    services.mail.kick();
    logSecurityEvent(call, 'mfa_device_added', { device: id, type: 'passkey' });
    return created(toResource(row));
  },
);

const refused = (why: string) =>
  new ApiError('validation_error/field_invalid', {
    message: 'The passkey was not accepted.',
    details: [{ field: 'credential', message: why }],
  });
