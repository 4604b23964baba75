import { plural } from '../language.ts';

export const tryAgain = 'Try again';
export const request = 'Request';
export const copyRequestId = 'Copy the request ID';

export const sessionEnded = 'Your session has ended';
export const signInAgain = 'Sign in again, then retry. Your input is kept.';
export const nothingChanged = 'Nothing was changed';
export const confirmIdentity = 'Try again and confirm your identity.';
export const mfaRequired = 'This organization requires a second factor';
export const howToSetUpMfa =
  'Set up multi-factor authentication for your account. You return to this page afterwards.';
export const setUpMfa = 'Set up MFA';
export const networkNotAllowed = 'This organization cannot be used from your network';
export const changeNetwork =
  'Connect to one of its networks, for example by VPN. Owners choose the networks.';
export const ssoRequired = 'This organization requires single sign-on';
export const howToSignInBySso = 'Sign in by its provider: choose “Single sign-on” on the sign-in page.';
export const signInBySso = 'Sign in';
export const verifyFirst = 'Verify your e-mail address first';
export const howToVerify =
  'You cannot use your account until the address is verified. Open the link of the mail, or request another one.';
export const verifyAddress = 'Verify your address';
export const roleDenied = 'Your role does not allow this';
export const askAdmin = 'Ask an owner or admin of the organization to do this or to change your role.';
export const featureOff = 'This feature is turned off';
/** @param message of the service */
export const ownersTurnOn = (message: string) =>
  `${message} Owners can turn on features of the organization on the Settings page.`;
export const featureUnavailable = 'This feature is not available to the organization';
export const administratorProvides = 'The administrator of this service can make it available.';
export const orgDeleted = 'This organization was deleted';
export const ownersRestore = 'An owner can restore it until it is removed for good.';
export const notMember = 'You are not a member of this organization';
export const askForInvitation = 'Ask an admin to invite you, or choose another organization.';
export const showOrganizations = 'Show your organizations';
export const otherAddress = 'Use another address for this';
export const notFound = 'Not found';
export const whyNotFound =
  'It does not exist, or it is not in this organization. The address may be incomplete.';
export const whyUnknownParameters =
  'Without them, this page would show more than the address asks for. The link may be old, or have a typing error.';
export const removeFromAddress = 'Remove from the address';
export const databaseDown = 'The service cannot reach its database';
export const retryInMoment = 'Nothing was changed. Try again in a moment.';
export const noSuchOrganization = 'No such organization';
export const unreachable = 'The server cannot be reached';
export const checkConnection = 'Check your connection and try again.';
export const tooManyAttempts = 'Too many attempts';
export const retryLater = 'Try again in a while.';
export const retryInSeconds = (seconds: number) =>
  plural(seconds, { one: 'Try again in # second.', other: 'Try again in # seconds.' });
export const retryInMinutes = (minutes: number) =>
  plural(minutes, { one: 'Try again in # minute.', other: 'Try again in # minutes.' });
export const serverFailed = 'Something went wrong on the server';
export const sendRequestId =
  'Try again. If the problem persists, send the request ID to the administrator of this service.';
export const tellAdministrator =
  'Try again. If the problem persists, tell the administrator of this service.';
export const changeInput = 'Change your input and try again.';
export const pageFailed = 'This page failed';
export const reportMessage = (message: string) =>
  `Reload the page. If the problem persists, report this message: ${message}`;
