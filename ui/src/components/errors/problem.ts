import { ServiceError } from '../../app/api.ts';
import { NoSuchOrg } from '../../app/no-such-org.ts';
import { WrongHost } from '../../app/wrong-host.ts';

/** The text of an error: what happened, what to do, and a link. */
export interface ProblemText {
  title: string;
  advice: string;
  action?: { label: string; href: string };
}

const here = () => encodeURIComponent(location.href);

const signedOut = (): ProblemText => ({
  title: 'Your session has ended',
  advice: 'Sign in again, then retry. Your input is kept.',
});

const BY_CODE: Record<string, (error: ServiceError) => ProblemText> = {
  not_authenticated: signedOut,
  session_revoked: signedOut,
  step_up_required: () => ({
    title: 'Nothing was changed',
    advice: 'Try again and confirm your identity.',
  }),
  mfa_required_by_org: () => ({
    title: 'This organization requires a second factor',
    advice: 'Set up multi-factor authentication for your account. You return to this page afterwards.',
    action: { label: 'Set up MFA', href: `/profile/mfa?return_to=${here()}` },
  }),
  email_not_verified: () => ({
    title: 'Verify your e-mail address first',
    advice:
      'You cannot use your account until the address is verified. We mailed you a link, and you can request another one.',
    action: { label: 'Verify your address', href: `/verify?return_to=${here()}` },
  }),
  denied: () => ({
    title: 'Your role does not allow this',
    advice: 'Ask an owner or admin of the organization to do this or to change your role.',
  }),
  feature_disabled: ({ message }) => ({
    title: 'This feature is turned off',
    advice: `${message} Owners can turn on features of the organization on the Settings page.`,
  }),
  feature_not_provisioned: () => ({
    title: 'This feature is not available to the organization',
    advice: 'The administrator of this service can make it available.',
  }),
  not_member: () => ({
    title: 'You are not a member of this organization',
    advice: 'Ask an admin to invite you, or choose another organization.',
    action: { label: 'Show your organizations', href: '/orgs' },
  }),
  base_domain_only: ({ message }) => ({ title: 'Use another address for this', advice: message }),
  not_found: () => ({
    title: 'Not found',
    advice: 'It does not exist, or it is not in this organization. The address may be incomplete.',
  }),
  unavailable: () => ({
    title: 'The service cannot reach its database',
    advice: 'Nothing was changed. Try again in a moment.',
  }),
};

/** Whether an error is expected, and not a defect of the web UI. */
export const isExpected = (error: unknown): boolean =>
  error instanceof NoSuchOrg || error instanceof WrongHost || error instanceof ServiceError;

/** Whether the same request fails again. */
export const isFinal = (error: unknown): boolean =>
  error instanceof NoSuchOrg ||
  error instanceof WrongHost ||
  (error instanceof ServiceError && error.status === 404);

/** The text of an error. */
export function problemOf(error: unknown): ProblemText {
  if (error instanceof NoSuchOrg) {
    return {
      title: 'No such organization',
      advice: error.message,
      action: { label: 'Show your organizations', href: '/orgs' },
    };
  }
  if (error instanceof WrongHost) {
    const { title, message, action } = error;
    return { title, advice: message, ...(action && { action }) };
  }
  if (!(error instanceof ServiceError)) {
    if (error instanceof TypeError && !/fetch|network|load/i.test(error.message)) return defect(error);
    return {
      title: 'The server cannot be reached',
      advice: 'Check your connection and try again.',
    };
  }
  const known = BY_CODE[error.code]?.(error);
  if (known) return known;
  if (error.status === 429) {
    return { title: 'Too many attempts', advice: `Try again in ${waitOf(error.retryAfter)}.` };
  }
  if (error.status >= 500) {
    return {
      title: 'Something went wrong on the server',
      advice: `Try again. If the problem persists, ${
        error.requestId === undefined ? 'tell' : 'send the request ID to'
      } the administrator of this service.`,
    };
  }
  const details = error.details.map(({ field, message }) => `${field} ${message}`);
  return {
    title: error.message,
    advice: details.length > 0 ? `${details.join('; ')}.` : 'Change your input and try again.',
  };
}

function waitOf(seconds: number | undefined): string {
  if (seconds === undefined) return 'a while';
  const [count, unit] = seconds > 90 ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function defect(error: Error): ProblemText {
  return {
    title: 'This page failed',
    advice: `Reload the page. If the problem persists, report this message: ${error.message}`,
  };
}
