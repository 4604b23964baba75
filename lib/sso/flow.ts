import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../crypto/random.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Begun } from './provider.ts';

/** Also the time that a person has at the provider. */
export const FLOW_MS = 10 * 60_000;

const CONTEXT = 'sso flow';

/** A sign-in in progress: it exists in a cookie of the browser that started it only. */
export interface Flow extends Begun {
  connectionId: string;
  /** `test` shows what the provider says; `link` connects the account there to that of a session. Both sign nobody in. */
  purpose: 'sign-in' | 'test' | 'link';
  /** The session that links an account, and the only one that completes it. */
  sessionId?: string | undefined;
  /** A path of this site. */
  returnTo?: string | undefined;
  expiresAt: number;
}

const random = () => randomBytes(32).toString('base64url');

export type FlowOptions = Omit<Flow, keyof Begun | 'expiresAt'>;

export const newFlow = (now: Date, flow: FlowOptions): Flow => ({
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
  const flow = await opened(box, sealed);
  return flow && flow.state === state && flow.expiresAt > now.getTime() ? flow : undefined;
}

async function opened(box: SecretBox, sealed: string): Promise<Flow | undefined> {
  // Without a key a box takes plain texts, which anyone could write.
  if (!sealed.startsWith('v2.')) return undefined;
  try {
    return JSON.parse(await box.open(sealed, CONTEXT)) as Flow;
  } catch {
    return undefined;
  }
}
