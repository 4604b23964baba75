import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { optional, shown, text, z } from '../../schema.ts';
import { CHALLENGE_MS } from './challenges.ts';
import type { PasskeySite } from './site.ts';

/** EdDSA, ES256 and RS256, in the order of preference (COSE). */
const ALGORITHMS = [-8, -7, -257];

/** The library takes half a second to load, so it is loaded with the first passkey. */
const load = () => import('@simplewebauthn/server');

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/** Binary data in JSON, at most `max` characters. */
const base64url = (max: number) =>
  z
    .string()
    .max(max, `must have at most ${max} characters`)
    .regex(BASE64URL, 'must be base64url')
    .openapi({ type: 'string', pattern: BASE64URL.source, maxLength: max, example: 'dGhlIGNyZWRlbnRpYWw' });

const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal('public-key'),
};

/** The answer of `navigator.credentials.create()` as JSON (`RegistrationResponseJSON`). Unknown fields are ignored. */
export const NewCredential = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(4_000),
      attestationObject: base64url(20_000),
      transports: optional(z.array(text({ min: 1, max: 32, example: 'internal' })).max(10)),
    }),
  })
  .openapi('NewCredential');
export type NewCredential = z.output<typeof NewCredential>;

/** The answer of `navigator.credentials.get()` as JSON (`AuthenticationResponseJSON`). Unknown fields are ignored. */
export const Assertion = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(4_000),
      authenticatorData: base64url(4_000),
      signature: base64url(4_000),
      userHandle: optional(base64url(100)),
    }),
  })
  .openapi('PasskeyAssertion');
export type Assertion = z.output<typeof Assertion>;

const descriptors = z.array(
  z.object({
    id: shown('dGhlIGNyZWRlbnRpYWw'),
    type: z.literal('public-key'),
    transports: z.array(shown('internal')).optional(),
  }),
);
const sealed = shown('c2VhbGVk', 'Works once, for five minutes.');

/** Options for `navigator.credentials.get()` as JSON. */
export const RequestOptions = z
  .object({
    challenge: sealed,
    rpId: shown('findings.example.com'),
    timeout: z.int().openapi({ example: CHALLENGE_MS }),
    userVerification: z.enum(['required', 'preferred']),
    allowCredentials: descriptors,
  })
  .openapi('PasskeyRequestOptions');

/** Options for `navigator.credentials.create()` as JSON. */
export const CreationOptions = z
  .object({
    challenge: sealed,
    rp: z.object({ id: shown('findings.example.com'), name: shown('svc-findings') }),
    user: z.object({
      id: shown('cmFuZG9t', 'Random, the same for all passkeys of the account.'),
      name: shown('ada@example.com'),
      displayName: shown('Ada Lovelace'),
    }),
    pubKeyCredParams: z.array(
      z.object({ type: z.literal('public-key'), alg: z.int().openapi({ example: -7 }) }),
    ),
    timeout: z.int().openapi({ example: CHALLENGE_MS }),
    attestation: z.literal('none'),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    excludeCredentials: descriptors,
  })
  .openapi('PasskeyCreationOptions');

/** A credential as browsers are told of it. */
export interface KnownCredential {
  credentialId: string | null;
  transports: string[] | null;
}

const describe = (known: readonly KnownCredential[]) =>
  known.flatMap(({ credentialId, transports }) =>
    credentialId === null
      ? []
      : [{ id: credentialId, type: 'public-key' as const, ...(transports && { transports }) }],
  );

/** @param known the credentials that may answer; none: any that the user chooses */
export const requestOptions = (
  { rpId }: PasskeySite,
  challenge: string,
  userVerification: 'required' | 'preferred',
  known: readonly KnownCredential[] = [],
) =>
  ({
    ...{ challenge, rpId, timeout: CHALLENGE_MS, userVerification },
    allowCredentials: describe(known),
  }) satisfies PublicKeyCredentialRequestOptionsJSON;

/** The user is verified at the registration, so that each passkey can sign in without a password. */
export const creationOptions = (
  { rpId }: PasskeySite,
  challenge: string,
  user: { handle: string; email: string; name: string },
  known: readonly KnownCredential[],
) =>
  ({
    challenge,
    rp: { id: rpId, name: 'svc-findings' },
    user: { id: user.handle, name: user.email, displayName: user.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: CHALLENGE_MS,
    attestation: 'none' as const,
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true as const,
      userVerification: 'required' as const,
    },
    excludeCredentials: describe(known),
  }) satisfies PublicKeyCredentialCreationOptionsJSON;

const ClientData = z.object({
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});
export type ClientData = z.output<typeof ClientData>;

/** The part that the browser has signed with. @returns undefined if it is damaged */
export function readClientData(clientDataJSON: string): ClientData | undefined {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

/** The challenge and the origin, which the caller has checked. */
type Checked = Pick<ClientData, 'challenge' | 'origin'>;

/** A refused answer of an authenticator, with the reason. */
export interface Refused {
  refused: string;
}

const refusalOf = (error: unknown): Refused => ({
  refused: error instanceof Error ? error.message.slice(0, 200) : 'not verified',
});

/** A credential that was proven. */
export interface ProvenCredential {
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: string[];
}

/**
 * Attestation certificates are refused: the options ask for none, and the library would download the revocation lists that
 * they name.
 */
export async function verifyCredential(
  { rpId }: PasskeySite,
  given: NewCredential,
  { challenge, origin }: Checked,
): Promise<ProvenCredential | Refused> {
  const { verifyRegistrationResponse } = await load();
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const attestation = decodeAttestationObject(
      new Uint8Array(Buffer.from(given.response.attestationObject, 'base64url')),
    );
    const format = attestation.get('fmt');
    if (format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined))
      return { refused: 'attestation' };
    const response: RegistrationResponseJSON = {
      ...given,
      response: {
        clientDataJSON: given.response.clientDataJSON,
        attestationObject: given.response.attestationObject,
      },
      clientExtensionResults: {},
    };
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || registrationInfo.credential.id !== given.id) return { refused: 'not verified' };
    const { publicKey, counter } = registrationInfo.credential;
    return {
      credentialId: given.id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      signCount: counter,
      transports: given.response.transports ?? [],
    };
  } catch (error) {
    return refusalOf(error);
  }
}

/** Verifies all of an assertion but the signature counter, which is compared when the passkey is used. */
export async function verifyAssertion(
  { rpId }: PasskeySite,
  given: Assertion,
  { challenge, origin }: Checked,
  key: { publicKey: string; userVerified: boolean },
): Promise<{ signCount: number } | Refused> {
  const { verifyAuthenticationResponse } = await load();
  const { userHandle, ...signed } = given.response;
  try {
    const response: AuthenticationResponseJSON = { ...given, response: signed, clientExtensionResults: {} };
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: {
        id: given.id,
        publicKey: new Uint8Array(Buffer.from(key.publicKey, 'base64url')),
        counter: 0,
      },
      requireUserVerification: key.userVerified,
    });
    return verified ? { signCount: authenticationInfo.newCounter } : { refused: 'wrong signature' };
  } catch (error) {
    return refusalOf(error);
  }
}
