import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../crypto/random.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Begun } from './provider.ts';

/** Also the time that a person has at the provider. */
export const FLOW_MS = 10 * 60_000;

const CONTEXT = 'sso flow';
const LINK_CONTEXT = 'sso link';

/** A sign-in in progress: it exists in a cookie of the browser that started it only. */
export interface Flow extends Begun {
  connectionId: string;
  /** A path of this site. */
  returnTo?: string | undefined;
  /** Shows what the provider says, and signs nobody in. */
  isTest?: boolean | undefined;
  expiresAt: number;
}

const random = () => randomBytes(32).toString('base64url');

export const newFlow = (now: Date, flow: Pick<Flow, 'connectionId' | 'returnTo' | 'isTest'>): Flow => ({
  ...flow,
  state: random(),
  nonce: random(),
  verifier: random(),
  expiresAt: now.getTime() + FLOW_MS,
});

/** The name of the cookie of a sign-in, so that several tabs can sign in at once. */
export const flowCookie = (state: string): string => `svc_sso_${sha256Hex(state).slice(0, 12)}`;

export const sealFlow = (box: SecretBox, flow: Flow): Promise<string> =>
  box.seal(JSON.stringify(flow), CONTEXT);

/** @returns undefined if the cookie is not ours, has expired or is of another sign-in */
export async function openFlow(
  box: SecretBox,
  sealed: string,
  state: string,
  now: Date,
): Promise<Flow | undefined> {
  const flow = await opened<Flow>(box, sealed, CONTEXT);
  return flow && flow.state === state && flow.expiresAt > now.getTime() ? flow : undefined;
}

/** An account at a provider that its owner may connect to an account here, after signing in to it. */
export interface PendingLink {
  issuer: string;
  subject: string;
  email: string;
  nonce: string;
  expiresAt: number;
}

export const LINK_COOKIE = 'svc_sso_link';

export const sealLink = (
  box: SecretBox,
  now: Date,
  link: Pick<PendingLink, 'issuer' | 'subject' | 'email'>,
) => box.seal(JSON.stringify({ ...link, nonce: random(), expiresAt: now.getTime() + FLOW_MS }), LINK_CONTEXT);

export async function openLink(box: SecretBox, sealed: string, now: Date): Promise<PendingLink | undefined> {
  const link = await opened<PendingLink>(box, sealed, LINK_CONTEXT);
  return link && link.expiresAt > now.getTime() ? link : undefined;
}

async function opened<T>(box: SecretBox, sealed: string, context: string): Promise<T | undefined> {
  // Without a key a box takes plain texts, which anyone could write.
  if (!sealed.startsWith('v2.')) return undefined;
  try {
    return JSON.parse(await box.open(sealed, context)) as T;
  } catch {
    return undefined;
  }
}
