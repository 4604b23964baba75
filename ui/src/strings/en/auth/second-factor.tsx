import type { ReactNode } from 'react';
import { number, plural } from '../language.ts';

export const secondStep = 'Second step';
export const signInExpired = (minutes: number) =>
  plural(minutes, {
    one: 'The sign-in expired after # minute. Enter your password again.',
    other: 'The sign-in expired after # minutes. Enter your password again.',
  });
export const otherMethod = 'Use another method';
export const chooseMethod = 'Choose how to get a code.';
export const otherAccount = 'Use another account';
export const authenticatorApp = (name: ReactNode) => <>Authenticator app: {name}</>;
export const codeByMail = (address: ReactNode) => <>Code by mail to {address}</>;
export const recoveryCode = 'Recovery code';

export const wrongAppCode =
  'The code is wrong. It changes every 30 seconds. Check that the clock of your device is correct.';
export const wrongMailedCode =
  'The code is wrong. Use the code in the newest mail. It works once and expires after five minutes.';
export const enterCodeOf = (app: ReactNode) => <>Enter the code that the app “{app}” shows.</>;
export const sixDigitCode = 'Six-digit code';
export const signIn = 'Sign in';

export const sendingCode = (address: ReactNode) => <>Sending a code to {address}.</>;
export const codeSent = (address: ReactNode) => <>A code was sent to {address}.</>;
export const sendAgain = 'Send again';
export const sendAgainIn = (seconds: number) => `Send again in ${number(seconds)} s`;

export const whichRecoveryCode =
  'One of the eight codes that you received when you turned on MFA. Each code works once.';
export const wrongRecoveryCode = 'The code is wrong or was already used.';
export const formOfRecoveryCode = 'xxxx-xxxx-xxxx-xxxx-xxxx-xxxx';

export const signedIn = 'You are signed in';
export const lastCodeUsed = 'This was your last recovery code';
export const codesLeft = (left: number) =>
  plural(left, { one: '# recovery code is left', other: '# recovery codes are left' });
export const codeIsUsed = 'The code that you used no longer works.';
export const generateNow =
  'The code that you used no longer works. Generate new codes now. Without a code or your device you cannot sign in.';
export const generateCodes = 'Generate new codes';
export const continueHere = 'Continue';
