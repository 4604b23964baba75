import { ServiceError } from '../../app/api.ts';
import { NoSuchOrg } from '../../app/no-such-org.ts';
import { WrongHost } from '../../app/wrong-host.ts';

/** An error in words: what happened, what to do, and where. */
export interface ProblemText {
  title: string;
  advice: string;
  action?: { label: string; href: string };
}

const here = () => encodeURIComponent(location.href);

const signedOut = (): ProblemText => ({
  title: 'Your session has ended',
  advice: 'Sign in again, then try this again. What you typed is still here.',
});

const BY_CODE: Record<string, (error: ServiceError) => ProblemText> = {
  not_authenticated: signedOut,
  session_revoked: signedOut,
  step_up_required: () => ({
    title: 'Nothing was changed',
    advice: 'Try again, and confirm that it is you.',
  }),
  mfa_required_by_org: () => ({
    title: 'This organization asks for a second factor',
    advice: 'Set up multi-factor authentication for your account; you come back here afterwards.',
    action: { label: 'Set up MFA', href: `/profile/mfa?return_to=${here()}` },
  }),
  email_not_verified: () => ({
    title: 'Verify your e-mail address first',
    advice:
      'Until then your account can do nothing else here. A link was mailed to you, and you can get another.',
    action: { label: 'Verify your address', href: `/verify?return_to=${here()}` },
  }),
  denied: () => ({
    title: 'Your role does not allow this',
    advice: 'Ask an owner or admin of the organization to do it, or to give you another role.',
  }),
  feature_disabled: ({ message }) => ({
    title: 'This is switched off',
    advice: `${message} An owner can switch on what belongs to the organization on its page of features.`,
  }),
  feature_not_provisioned: () => ({
    title: 'This feature is not available to the organization',
    advice: 'Whoever runs the server can make it available.',
  }),
  not_member: () => ({
    title: 'You are not a member of this organization',
    advice: 'Ask one of its admins to invite you, or choose another organization.',
    action: { label: 'Your organizations', href: '/orgs' },
  }),
  base_domain_only: ({ message }) => ({ title: 'This is done at another address', advice: message }),
  not_found: () => ({
    title: 'Not found',
    advice: 'It does not exist, or it is not in this organization. The address may be incomplete.',
  }),
  unavailable: () => ({
    title: 'The service cannot reach its database',
    advice: 'Nothing was changed. Try again in a moment.',
  }),
};

/** Whether an error is said in words of its own, rather than a defect of ours. */
export const isExpected = (error: unknown): boolean =>
  error instanceof NoSuchOrg || error instanceof WrongHost || error instanceof ServiceError;

/** Says an error in words. */
export function problemOf(error: unknown): ProblemText {
  if (error instanceof NoSuchOrg) {
    return {
      title: 'No such organization',
      advice: error.message,
      action: { label: 'Your organizations', href: '/orgs' },
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
      advice: 'Check your connection. What you typed is still here: try again when you are back.',
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
      advice:
        'Nothing of it was your doing. Try again; if it stays, tell whoever runs the server the request id.',
    };
  }
  const details = error.details.map(({ field, message }) => `${field} ${message}`);
  return {
    title: error.message,
    advice: details.length > 0 ? `${details.join('; ')}.` : 'Change it and try again.',
  };
}

function waitOf(seconds: number | undefined): string {
  if (seconds === undefined) return 'a while';
  const [count, unit] = seconds > 90 ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function defect(error: Error): ProblemText {
  return {
    title: 'This page has a defect',
    advice: `Load it again. If it stays, please report: ${error.message}`,
  };
}
