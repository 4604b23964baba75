import type { ReactNode } from 'react';

export const profile = 'Profile';
export const titleOf = (page: string) => `${page} · Profile`;
export const emails = 'E-mails';
export const password = 'Password';
export const mfa = 'MFA';
export const sessions = 'Sessions';
export const remove = 'Remove';

export const name = 'Name';
export const changeName = 'Change name';
export const enterName = 'Enter a name';
export const whoSeesName = 'Members of your organizations see it.';
export const nameChanged = 'Your name is changed.';

export const whatAddressesAreFor =
  'You can sign in with every verified address. Mails about your account are sent to the primary address.';
export const primary = 'Primary';
export const verified = 'Verified';
export const notVerified = 'Not verified';
export const linkSent = (email: string) => `Verification link sent to ${email}.`;
export const linkSentAndExpires = (email: string) =>
  `Verification link sent to ${email}. It expires after 24 hours.`;
export const linkInLog = (email: string) =>
  `No mail provider: the link that verifies ${email} is in the server's log. It expires after 24 hours.`;
export const nowPrimary = (email: string) => `${email} is now your primary address.`;
export const addressRemoved = (email: string) => `${email} was removed.`;
export const removeThisAddress = 'Remove this address?';
export const consequencesOfRemoval = (email: ReactNode) => (
  <>You can no longer sign in with {email}, and another account can add it.</>
);
export const sendMailAgain = 'Send mail again';
export const sendMailAgainTo = (email: string) => `Send mail again to ${email}`;
export const makePrimary = 'Make primary';
export const makePrimaryAddress = (email: string) => `Make primary: ${email}`;
export const removeAddress = (email: string) => `Remove ${email}`;
export const addAddress = 'Add an address';
export const add = 'Add';

export const enterCurrentPassword = 'Enter your current password';
export const passwordChanged = 'The password was changed. All your other sessions were ended.';
export const wrongCurrentPassword = 'The current password is wrong';
export const whatNewPasswordDoes = 'A new password ends all your other sessions. We mail you a confirmation.';
export const currentPassword = 'Current password';
export const newPassword = 'New password';
export const changePassword = 'Change password';
export const revokeMyTokens = 'Also revoke my tokens';
export const whatMyTokensAre =
  'Personal access tokens, and API tokens that you created in organizations. Pipelines that use them stop.';
export const yourPassword = 'Your password';
export const wrongPassword = 'The password is wrong';

export const whatSessionsAre =
  'The browsers in which you are signed in. A session ends after 24 hours. If you do not recognize a session, revoke it and change your password.';
export const browserOn = (browser: string, os: string) => `${browser} on ${os}`;
export const unknownBrowser = 'Unknown browser';
export const thisSession = 'This session';
export const unknownAddress = 'an unknown address';
export const from = (address: ReactNode) => <>From {address}</>;
export const fromDevice = (address: ReactNode, device: string) => (
  <>
    From {address}, {device}
  </>
);
export const devices: Record<string, string> = { desktop: 'desktop', mobile: 'mobile', tablet: 'tablet' };
export const activity = (active: ReactNode, signedIn: ReactNode) => (
  <>
    Last active {active} · signed in {signedIn}
  </>
);
export const sessionRevoked = (name: string) => `The session of ${name} was revoked.`;
export const revokeThisSession = 'Revoke this session?';
export const signedOutNext = (name: ReactNode, address: ReactNode) => (
  <>
    {name} from {address} is signed out with its next request.
  </>
);
export const revoke = 'Revoke';
export const revokeSession = (name: string, address: string) => `Revoke ${name}, from ${address}`;
export const othersRevoked = 'All other sessions were revoked.';
export const revokeAllOthers = 'Revoke all other sessions?';
export const othersSignedOut = 'Every other browser is signed out with its next request.';
export const revokeOthers = 'Revoke all others';
