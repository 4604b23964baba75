import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import * as text from '#strings/auth/passkeys.tsx';

/** Whether the browser has passkeys. Browsers offer them over HTTPS and on localhost. */
export const supportsPasskeys = 'PublicKeyCredential' in window;

/** Something that the browser or the user did instead of an answer. */
export class PasskeyProblem extends Error {}

const load = () => import('@simplewebauthn/browser');

const MESSAGES: Record<string, string> = {
  NotAllowedError: text.cancelled,
  AbortError: text.cancelled,
  SecurityError: text.notAtThisAddress,
  InvalidStateError: text.alreadyAdded,
  ConstraintError: text.unsuitable,
  NotSupportedError: text.unsuitable,
};

/** A promise of the browser's; its errors are told in words. */
async function told<T>(ceremony: Promise<T>): Promise<T> {
  try {
    return await ceremony;
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    throw new PasskeyProblem(MESSAGES[name] ?? text.failed, { cause: error });
  }
}

/** Asks the user for a passkey. */
export async function answerWithPasskey(optionsJSON: PublicKeyCredentialRequestOptionsJSON) {
  const { startAuthentication } = await load();
  return told(startAuthentication({ optionsJSON }));
}

/** Asks the user to store a new passkey. */
export async function storePasskey(optionsJSON: PublicKeyCredentialCreationOptionsJSON) {
  const { startRegistration } = await load();
  return told(startRegistration({ optionsJSON }));
}
