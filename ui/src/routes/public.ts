import { createRoute, redirect } from '@tanstack/react-router';
import { textSearch } from '../app/search.ts';
import { findMe, sessionQuery } from '../app/session.ts';
import { destinationOfSignedIn } from '../auth/return-to.ts';
import { PublicShell } from '../shell/PlainShell.tsx';
import { errorComponent, page, type RouteContext, root, toLogin } from './root.tsx';

const pages = createRoute({
  getParentRoute: () => root,
  id: '_public',
  component: PublicShell,
  errorComponent,
  beforeLoad: ({ context: { site }, location }) => {
    if (!site.signsIn) throw redirect({ href: site.signInUrl(location.href) });
  },
});

interface BeforeLoad {
  context: RouteContext;
  preload: boolean;
  search: { return_to?: string; sso_error?: string };
}

/** Sends users who are already signed in to their destination. */
async function redirectSignedIn({ context: { queries, site }, preload, search }: BeforeLoad): Promise<void> {
  // The page says why another sign-in was refused.
  if (preload || search.sso_error || !(await findMe(queries))) return;
  const href = destinationOfSignedIn(site, search.return_to);
  if (href) throw redirect({ href, replace: true });
}

/** Nobody can sign in while there is no account: the page of the first account comes first. */
async function redirectToFirstAccount(given: BeforeLoad): Promise<void> {
  await redirectSignedIn(given);
  const { context, search } = given;
  const { first_account } = await context.queries.query(sessionQuery);
  if (first_account) throw redirect({ to: '/register', search, replace: true });
}

const login = createRoute({
  getParentRoute: () => pages,
  path: '/login',
  validateSearch: textSearch('return_to', 'email', 'sso_error'),
  beforeLoad: redirectToFirstAccount,
  component: page(() => import('../auth/Login.tsx'), 'Login'),
});

const register = createRoute({
  getParentRoute: () => pages,
  path: '/register',
  validateSearch: textSearch('return_to', 'email'),
  beforeLoad: redirectSignedIn,
  component: page(() => import('../auth/Register.tsx'), 'Register'),
});

const forgotPassword = createRoute({
  getParentRoute: () => pages,
  path: '/forgot-password',
  validateSearch: textSearch('email'),
  component: page(() => import('../auth/ForgotPassword.tsx'), 'ForgotPassword'),
});

const resetPassword = createRoute({
  getParentRoute: () => pages,
  path: '/reset-password',
  // `new`: the account has no password yet.
  validateSearch: textSearch('token', 'new'),
  component: page(() => import('../auth/ResetPassword.tsx'), 'ResetPassword'),
});

const verifyEmail = createRoute({
  getParentRoute: () => pages,
  path: '/verify-email',
  validateSearch: textSearch('token', 'email_id'),
  component: page(() => import('../auth/VerifyEmail.tsx'), 'VerifyEmail'),
});

const undoEmailChange = createRoute({
  getParentRoute: () => pages,
  path: '/undo-email-change',
  validateSearch: textSearch('token'),
  component: page(() => import('../auth/UndoEmailChange.tsx'), 'UndoEmailChange'),
});

const undoOrgChange = createRoute({
  getParentRoute: () => pages,
  path: '/undo-org-change',
  validateSearch: textSearch('token'),
  component: page(() => import('../auth/UndoOrgChange.tsx'), 'UndoOrgChange'),
});

const declineInvitation = createRoute({
  getParentRoute: () => pages,
  path: '/decline-invitation',
  validateSearch: textSearch('token'),
  component: page(() => import('../auth/DeclineInvitation.tsx'), 'DeclineInvitation'),
});

const unsubscribe = createRoute({
  getParentRoute: () => pages,
  path: '/unsubscribe',
  validateSearch: textSearch('token'),
  component: page(() => import('../auth/Unsubscribe.tsx'), 'Unsubscribe'),
});

/** Sends users whose address is verified to their destination. */
async function redirectVerified({ context: { queries, site }, preload, search }: BeforeLoad): Promise<void> {
  if (preload) return;
  const me = await findMe(queries);
  if (!me) throw toLogin(site, '/');
  if (!me.email_verification_required) throw redirect({ href: site.safeReturn(search.return_to) ?? '/' });
}

/** The only page of an account until its address is verified. */
const verify = createRoute({
  getParentRoute: () => pages,
  path: '/verify',
  validateSearch: textSearch('return_to'),
  beforeLoad: redirectVerified,
  component: page(() => import('../auth/VerifyFirst.tsx'), 'VerifyFirst'),
});

/** The result of a test of single sign-on. Its parameters are those of the provider. */
const ssoTest = createRoute({
  getParentRoute: () => pages,
  path: '/sso-test',
  component: page(() => import('../sso/SsoTest.tsx'), 'SsoTest'),
});

/** The end of a sign-in in a second window. */
const done = createRoute({
  getParentRoute: () => pages,
  path: '/signed-in',
  component: page(() => import('../auth/SignedIn.tsx'), 'SignedIn'),
});

/** Pages for visitors who are not signed in. */
export const publicPages = pages.addChildren([
  login,
  register,
  forgotPassword,
  resetPassword,
  verifyEmail,
  verify,
  undoEmailChange,
  undoOrgChange,
  declineInvitation,
  unsubscribe,
  ssoTest,
  done,
]);
