import * as text from '#strings/components/errors.ts';
import { addressWithout, UnknownParameters } from '../../app/address.ts';
import { ServiceError } from '../../app/api.ts';
import { NoSuchOrg, WrongHost } from '../../app/org-errors.ts';

/** The text of an error: what happened, what to do, and a link. */
export interface ProblemText {
  title: string;
  advice: string;
  action?: { label: string; href: string };
}

const here = () => encodeURIComponent(location.href);

const signedOut = (): ProblemText => ({
  title: text.sessionEnded,
  advice: text.signInAgain,
});

const BY_CODE: Record<string, (error: ServiceError) => ProblemText> = {
  not_authenticated: signedOut,
  session_revoked: signedOut,
  step_up_required: () => ({
    title: text.nothingChanged,
    advice: text.confirmIdentity,
  }),
  mfa_required_by_org: () => ({
    title: text.mfaRequired,
    advice: text.howToSetUpMfa,
    action: { label: text.setUpMfa, href: `/profile/mfa?return_to=${here()}` },
  }),
  address_not_allowed: () => ({
    title: text.networkNotAllowed,
    advice: text.changeNetwork,
  }),
  sso_required: () => ({
    title: text.ssoRequired,
    advice: text.howToSignInBySso,
    action: { label: text.signInBySso, href: '/login' },
  }),
  email_not_verified: () => ({
    title: text.verifyFirst,
    advice: text.howToVerify,
    action: { label: text.verifyAddress, href: `/verify?return_to=${here()}` },
  }),
  denied: () => ({
    title: text.roleDenied,
    advice: text.askAdmin,
  }),
  feature_disabled: ({ message }) => ({
    title: text.featureOff,
    advice: text.ownersTurnOn(message),
  }),
  feature_not_provisioned: () => ({
    title: text.featureUnavailable,
    advice: text.administratorProvides,
  }),
  not_member: () => ({
    title: text.notMember,
    advice: text.askForInvitation,
    action: { label: text.showOrganizations, href: '/orgs' },
  }),
  deleted: () => ({
    title: text.orgDeleted,
    advice: text.ownersRestore,
    action: { label: text.showOrganizations, href: '/orgs' },
  }),
  base_domain_only: ({ message }) => ({ title: text.otherAddress, advice: message }),
  not_found: () => ({
    title: text.notFound,
    advice: text.whyNotFound,
  }),
  unavailable: () => ({
    title: text.databaseDown,
    advice: text.retryInMoment,
  }),
};

/** Whether the session has ended, after which the same request succeeds once the user has signed in again. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ServiceError && BY_CODE[error.code] === signedOut;

/** Whether an error is expected, and not a defect of the web UI. */
export const isExpected = (error: unknown): boolean =>
  error instanceof NoSuchOrg ||
  error instanceof WrongHost ||
  error instanceof UnknownParameters ||
  error instanceof ServiceError;

/** Whether the same request fails again. */
export const isFinal = (error: unknown): boolean =>
  error instanceof NoSuchOrg ||
  error instanceof WrongHost ||
  error instanceof UnknownParameters ||
  (error instanceof ServiceError && error.status === 404);

/** The text of an error. */
export function problemOf(error: unknown): ProblemText {
  if (error instanceof NoSuchOrg) {
    return {
      title: text.noSuchOrganization,
      advice: error.message,
      action: { label: text.showOrganizations, href: '/orgs' },
    };
  }
  if (error instanceof WrongHost) {
    const { title, message, action } = error;
    return { title, advice: message, ...(action && { action }) };
  }
  if (error instanceof UnknownParameters)
    return { title: error.message, advice: text.whyUnknownParameters, ...removal(error.names) };
  if (!(error instanceof ServiceError)) {
    if (error instanceof TypeError && !/fetch|network|load/i.test(error.message)) return defect(error);
    return {
      title: text.unreachable,
      advice: text.checkConnection,
    };
  }
  const known = BY_CODE[error.code]?.(error);
  if (known) return known;
  if (error.status === 429) {
    return { title: text.tooManyAttempts, advice: retryAfter(error.retryAfter) };
  }
  if (error.status >= 500) {
    return {
      title: text.serverFailed,
      advice: error.requestId === undefined ? text.tellAdministrator : text.sendRequestId,
    };
  }
  const details = error.details.map(({ field, message }) => `${field} ${message}`);
  return {
    title: error.message,
    advice: details.length > 0 ? `${details.join('; ')}.` : text.changeInput,
    ...(error.code === 'invalid_request' && removal(error.details.map(({ field }) => field))),
  };
}

/** A link to the list without wrong filters of its address. */
function removal(names: readonly string[]): Pick<ProblemText, 'action'> {
  const href = addressWithout(names, location);
  return href === undefined ? {} : { action: { label: text.removeFromAddress, href } };
}

function retryAfter(seconds: number | undefined): string {
  if (seconds === undefined) return text.retryLater;
  return seconds > 90 ? text.retryInMinutes(Math.ceil(seconds / 60)) : text.retryInSeconds(seconds);
}

function defect(error: Error): ProblemText {
  return {
    title: text.pageFailed,
    advice: text.reportMessage(error.message),
  };
}
