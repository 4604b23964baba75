import type { ReactNode } from 'react';

export const signInWithPasskey = 'Sign in with a passkey';
export const usePasskey = 'Use a passkey';
export const passkey = 'Passkey';
export const confirmOnDevice =
  'Confirm with your fingerprint, your face, or the PIN of your device or security key.';
export const cancelled = 'No passkey was used. The browser was cancelled, or it waited too long. Try again.';
export const notAtThisAddress =
  'Passkeys do not work at this address. Open the service at its usual address.';
export const alreadyAdded = 'This device or security key already has a passkey of your account.';
export const unsuitable =
  'This device or security key cannot store a passkey with a PIN or a fingerprint. Use another one.';
export const failed = 'The passkey did not work. Try again, or use another one.';

export const passkeys = 'Passkeys';
export const whatPasskeysDo =
  'A passkey signs you in with your fingerprint, your face or a PIN, without your password. It is also a second factor.';
export const noPasskeys = 'No passkeys yet';
export const whereTheyAre =
  'Your phone, your computer, a password manager or a security key can store one. Add two, in case you lose one.';
export const unsupported = 'This browser does not support passkeys.';
export const addPasskey = 'Add passkey';
export const addAPasskey = 'Add a passkey';
export const addedPasskey = (name: string) => `“${name}” can now sign you in.`;
export const name = 'Name';
export const whatNameIsFor = 'Helps you recognize the passkey.';
export const exampleOfName = 'Laptop';
export const continueHere = 'Continue';
export const added = (time: ReactNode) => <>Added {time}</>;
export const lastUsed = (time: ReactNode) => <>last used {time}</>;
export const neverUsed = 'never used';
export const secondFactorOnly = 'Second factor only';
export const allowSignIn = 'Allow sign-in';
export const allowSignInOf = (name: string) => `Allow sign-in with ${name}`;
export const askAllow = (name: ReactNode) => <>Sign in with “{name}”?</>;
export const whyNotAllowed =
  'Your password was reset, so your passkeys no longer sign you in without it. Allow it only if you added this passkey yourself.';
export const allowed = 'The passkey can sign you in again.';
export const rename = 'Rename';
export const renamePasskey = (name: string) => `Rename ${name}`;
export const renameThis = 'Rename the passkey';
export const renamed = 'The passkey was renamed.';
export const remove = 'Remove';
export const removePasskey = (name: string) => `Remove ${name}`;
export const askRemove = (name: ReactNode) => <>Remove “{name}”?</>;
export const stopsWorking =
  'It can no longer sign you in. Your device may still offer it: delete it there too. Sessions do not end.';
export const lastFactor =
  'This is your last second factor. Removing it turns off MFA and deletes your recovery codes. To keep MFA, add another passkey or device first.';
export const removed = 'The passkey was removed.';
