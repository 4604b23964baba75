import type { ReactNode } from 'react';
import { number } from '../language.ts';

export const multiFactor = 'Multi-factor authentication';
export const whatMfaDoes = 'MFA protects your account if somebody learns your password.';
export const isSetUp = 'MFA is set up';
export const returnToPage = 'Return to the previous page';
export const setUpToContinue = 'Set up MFA to continue';
export const youCanReturn = 'You can return to the previous page when MFA is on.';
export const verify = 'Verify';
export const remove = 'Remove';
export const done = 'Done';
export const name = 'Name';

export const isOn = 'MFA is on';
export const isOff = 'MFA is off';
export const signInWithCode =
  'You sign in with your password and a code from one of your devices or a passkey, or with a passkey alone.';
export const signInWithoutCode =
  'You sign in with your password only. MFA also requires a code that only you have.';
export const turnOff = 'Turn off';
export const turnOffMfa = 'Turn off MFA';
export const askTurnOff = 'Turn off MFA?';
export const turnedOff = 'MFA is off. Your recovery codes no longer work.';
export const consequencesOfTurningOff =
  'You will sign in with your password only. Your recovery codes are deleted. Your devices are kept. Organizations that require MFA deny access until it is on again.';
export const turnOn = 'Turn on MFA';
export const turnOnWithMail = 'Turn on with mailed codes';
export const appOrMail = (email: ReactNode) => (
  <>
    Add a passkey or an authenticator app below, which are safer and work without mail, or receive codes by
    mail at {email}.
  </>
);
export const needsDevice =
  'To turn on MFA, add a passkey or an authenticator app below, or verify an e-mail address.';

export const devices = 'Devices';
export const addApp = 'Add authenticator app';
export const noDevices = 'No devices yet';
export const whatAppDoes =
  'An authenticator app on your phone or in your password manager shows a new code every 30 seconds.';
export const notVerified = 'Not verified';
export const appLastUsed = (time: ReactNode) => <>Authenticator app · last used {time}</>;
export const appNeverUsed = 'Authenticator app · never used';
export const mailLastUsed = (time: ReactNode) => <>Codes by mail · last used {time}</>;
export const mailNeverUsed = 'Codes by mail · never used';
export const verifyDevice = (device: string) => `Verify ${device}`;
export const removeDevice = (device: string) => `Remove ${device}`;
export const askRemove = (device: ReactNode) => <>Remove “{device}”?</>;
export const removeAndTurnOff = 'Remove and turn off MFA';
export const deviceRemoved = 'The device was removed.';
export const lastDevice =
  'This is your last device. Removing it turns off MFA and deletes your recovery codes. To keep MFA, add another device first.';
export const codesStopWorking = 'Codes from this device will no longer work.';
export const codesMailedTo = (email: string) => `Codes can now be mailed to ${email}.`;
export const addMailedCodes = 'Add codes by mail';
export const mailCodesTo = 'Mail codes to';

export const verifyYourApp = 'Verify your authenticator app';
export const addAnApp = 'Add an authenticator app';
export const whatNameIsFor = 'Helps you recognize the device.';
export const exampleOfName = 'Phone';
export const next = 'Next';
export const secretShownBefore = (device: ReactNode) => (
  <>
    The secret was shown only when you added “{device}”. If your app does not have it, remove the device and
    add it again.
  </>
);
export const codeFromApp = 'Code from the app';
export const wrongCode =
  'The code is wrong. It changes every 30 seconds. Check that the clock of your device is correct.';
export const scanCode = 'Scan this code with your app or enter the secret.';
export const qrCode = 'QR code with the secret, for your authenticator app';
export const copySecret = 'Copy the secret';
export const openInApp = 'Open in the app on this device';
export const deviceVerified = (device: ReactNode) => <>“{device}” is verified.</>;
export const stillOff = 'MFA is still off. Turn it on to require a code when you sign in.';
export const later = 'Later';

export const recoveryCodes = 'Recovery codes';
export const codesLeft = (left: number, all: number) => `${number(left)} of ${number(all)} left.`;
export const fewCodesLeft = (left: number, all: number) =>
  `${number(left)} of ${number(all)} left. Generate new codes before they run out.`;
export const recoveryCodesLeft = 'Recovery codes left';
export const generateCodes = 'Generate new codes';
export const askGenerate = 'Generate new recovery codes?';
export const codesInvalid = 'Your current codes will no longer work.';
export const yourCodes = 'Your recovery codes';
export const aboutCodes = (email: string, host: string, time: string) =>
  `Recovery codes of ${email} at ${host}, generated ${time}. Each code works once.`;
export const codesShownOnce =
  'These codes are shown only once. Use one to sign in when you cannot use your app or mail. Each code works once. Do not store them with your password.';
export const codesSaved = 'I have saved the codes';
export const copy = 'Copy';
export const copied = 'Copied';
export const download = 'Download';
export const print = 'Print';
