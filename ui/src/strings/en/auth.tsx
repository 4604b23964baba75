import type { ReactNode } from 'react';

/** Makes a link of the text that it is given. */
type Link = (label: string) => ReactNode;

export const signIn = 'Sign in';
export const signOut = 'Sign out';
export const continueHere = 'Continue';
export const emailAddress = 'E-mail address';
export const password = 'Password';
export const enterEmail = 'Enter your e-mail address';
export const enterPassword = 'Enter your password';
export const forgotYourPassword = 'Forgot your password?';

export const signedInAs = (email: ReactNode, next: Link) => (
  <>
    You are signed in as {email}. {next('Continue')}, or sign in again to use another account or because the
    previous page requires it.
  </>
);
export const wrongCredentials = 'The e-mail address or the password is wrong';
export const checkBoth = 'Check both. Passwords are case-sensitive.';
export const registrationClosed = 'Registration is closed';
export const createAnAccount = 'Create an account';

export const checkMail = 'Check your mail';
export const openLinkInLog = 'Open the link';
export const resetInLog = (email: ReactNode) => (
  <>
    No mail provider: if {email} belongs to an account, the link to set a new password is in the server's log.
    It works once and expires after one hour.
  </>
);
export const mailedReset = (email: ReactNode) => (
  <>
    If {email} belongs to an account, we mailed it a link to set a new password. The link works once and
    expires after one hour.
  </>
);
export const noMail = 'No mail after a few minutes? Check the spam folder and the address.';
export const sendAnotherLink = 'Send another link';
export const backToSignIn = 'Back to sign-in';
export const weMailReset = 'We mail you a link to set a new one.';
export const weLogReset = "No mail provider: the link to set a new one will be in the server's log.";
export const sendLink = 'Send link';

export const welcome = 'Welcome';
export const welcomeName = (name: ReactNode) => <>Welcome, {name}</>;
export const accountReady = 'Your account is ready';
export const mailedVerification = (email: ReactNode) => (
  <>We mailed a link to {email}. Open it within 24 hours to verify the address.</>
);
export const verificationInLog = (email: ReactNode) => (
  <>No mail provider: the link is in the server's log. Open it within 24 hours to verify {email}.</>
);
export const firstOrganization = (org: ReactNode) => (
  <>Your first organization is {org}. You can invite others to it and join other organizations.</>
);
export const openOrganization = 'Open your organization';
export const askForInvitation =
  'You cannot create an account at the moment. Ask an admin of your organization to invite you. The invitation mail contains a link to set a password.';
export const signInWithAccount = 'Sign in with an account';
export const createYourAccount = 'Create your account';
export const createFirstAccount = 'Create the first account';
export const noAccountsYet =
  'This server has no accounts yet. You become the owner of its first organization.';
export const haveAccount = (login: Link) => <>Already have an account? {login('Sign in')}</>;
export const name = 'Name';
export const enterYourName = 'Enter your name';
export const addressTaken = (login: Link) => (
  <>An account with this address already exists. {login('Sign in')}</>
);
export const createAccount = 'Create account';

export const passwordSet = 'Your password is set';
export const passwordChanged = 'Your password was changed';
export const readyToSignIn = 'Your account is ready. Sign in with your e-mail address and the password.';
export const sessionsEnded = 'All your sessions were ended. Sign in with the new password.';
export const linkExpired = 'This link no longer works';
export const linkIncomplete = 'This link is incomplete';
export const whyInvitationExpired =
  'Links of invitations work once and for at most 7 days. Older links stop working when you use a newer one.';
export const whyResetExpired =
  'Links to set a password work once and expire after one hour. Older links stop working when you use a newer one.';
export const copyCompleteLink =
  'Open the link from the mail again, or copy the complete link into the address bar.';
export const requestAnotherLink = 'Request another link';
export const setYourPassword = 'Set your password';
export const setNewPassword = 'Set a new password';
export const youWereInvited = 'You were invited. Enter your name and choose a password to use your account.';
export const whoSeesName = 'Members of your organizations see it.';
export const sessionsWillEnd = 'All your sessions end when you set a new password.';
export const newPassword = 'New password';
export const setPassword = 'Set password';

export const notSignedIn = 'You are not signed in';
export const signedIn = 'You are signed in';
export const closeWindow = 'Close this window and continue in the previous one.';

export const addressRestored = 'Your address was restored';
export const oldPasswordInvalid =
  'All sessions were ended, and the old password no longer works. We mailed a link to set a new one to your address.';
export const checkAccount = 'Then check the second factors, organizations and API tokens of your account.';
export const linkInvalid = 'This link does not work';
export const undoLinksExpire = 'Links to undo a change of the address work once and expire after 72 hours.';
export const cannotSignIn =
  'If you can no longer sign in, use “Forgot password”. If that does not help, contact the administrator of this service.';
export const forgotPassword = 'Forgot password';
export const notUndone = 'The change was not undone';
export const addressInUse = 'Another account has this address now. Nothing was changed.';
export const keepUsingAccount =
  'If that account is yours, keep using it. Otherwise contact the administrator of this service.';
export const undoAddressChange = 'Undo the address change?';
export const addressWasChanged =
  'The primary e-mail address of your account was changed. If that was not you, undo it.';
export const oldAddressReturns = 'The old address becomes the primary one again, and the new one is removed.';
export const additionsRemoved =
  'Addresses and second factors that were added in the 7 days before the change, or later, are also removed.';
export const allSessionsEnd = 'All sessions end. We mail you a link to set a new password.';
export const undoChange = 'Undo the change';

export const undoOrgChange = 'Undo the change of your organization?';
export const organizationWasChanged =
  'You lost the role of an owner, or your organization was deleted. The mail with this link says what happened. If that should not be, undo it.';
export const roleReturns =
  'You are an owner again, even if you were removed. Your private views stay deleted.';
export const everythingReturns =
  'If the organization was deleted, members and API tokens can use it again, with all its data.';
export const ownersAreMailed = 'All owners of the organization get a mail about it.';
export const orgChangeUndone = 'The change was undone';
export const youOwn = (organization: string) => `You are an owner of the organization ${organization} again.`;
export const organizationWorks = (organization: string) =>
  `Members and API tokens can use the organization ${organization} again.`;
export const checkOrganization =
  'Sign in and look through its members, API tokens and settings. If somebody else used your account, change your password.';
export const undoOrgLinksExpire =
  'Links to undo a change of an organization work once and expire after 72 hours. They also end when the organization is removed for good.';
export const askOtherOwners =
  'If you have another mail about it, try its link. Otherwise ask another owner of the organization or the administrator of this service.';
export const nothingToUndo =
  'You are an owner of the organization and it is not deleted, or it is being removed for good.';
export const openOrganizations = 'Open your organizations';

export const declineInvitationAsk = 'Decline the invitation?';
export const somebodyInvitedYou =
  'Somebody invited you to an organization. The mail with this link names the person and the organization.';
export const youAreNoMember = 'You are not a member of the organization.';
export const noInvitationForAWhile = 'It cannot invite this address again for 30 days.';
export const noAccountNeeded = 'You need no account for this.';
export const declineInvitation = 'Decline';
export const invitationDeclined = 'You declined the invitation';
export const noMoreMails = (organization: string) =>
  `The organization ${organization} cannot invite this address again for 30 days.`;
export const declineLinksExpire =
  'Links to decline an invitation work once, for 30 days. They also stop working when the invitation is withdrawn.';
export const notDeclined = 'The invitation was not declined';
export const leaveInstead =
  'You have accepted it. To leave the organization, open its page “Members” and choose “Leave organization”.';

export const addressVerified = 'Your address is verified';
export const useAddress = 'You can use it to sign in and to receive codes.';
export const verifyYourAddress = 'Verify your address';
export const verifying = 'Verifying the address';
export const verificationLinksExpire =
  'Verification links work once and expire after 24 hours. If you have opened this link before, the address is already verified.';
export const profileShowsIt =
  'Your profile shows under “E-mails” whether the address is verified. You can request another link there.';
export const profileShowsItAfterSignIn =
  'Your profile shows under “E-mails” whether the address is verified. You can request another link there. Sign in to open your profile.';
export const openAddresses = 'Open your e-mail addresses';

export const verifyYourEmail = 'Verify your e-mail address';
export const openMailedLink = (email: ReactNode) => (
  <>Open the link that was mailed to {email}. You can use your account once the address is verified.</>
);
export const openLoggedLink = (email: ReactNode) => (
  <>
    No mail provider: the link that verifies {email} is in the server's log. You can use your account once the
    address is verified.
  </>
);
export const sentAnotherLink = 'We sent another link. It expires after 24 hours.';
export const loggedAnotherLink = "Another link is in the server's log. It expires after 24 hours.";
export const newLinkInLog = 'Write another link to the log';
export const checkAgain = 'Check again';
export const notVerifiedYet = 'The address is not verified yet.';
export const wrongAddress = 'Wrong address? Sign out and register with the correct one.';
