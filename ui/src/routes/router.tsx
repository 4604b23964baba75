import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { NoSuchOrg } from '../app/no-such-org.ts';
import {
  findingSearch,
  parseSearch,
  stringifySearch,
  textSearch,
  wholeNumber,
  withoutUndefined,
} from '../app/search.ts';
import { findMe, orgSession } from '../app/session.ts';
import type { Site } from '../app/site.ts';
import { WrongHost } from '../app/wrong-host.ts';
import { destinationOfSignedIn } from '../auth/return-to.ts';
import { ProblemPage, ProblemWindow } from '../components/errors/Problem.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { NotFound } from '../shell/NotFound.tsx';
import { OrgShell } from '../shell/OrgShell.tsx';
import { PlainShell } from '../shell/PlainShell.tsx';
import { PublicShell } from '../shell/PublicShell.tsx';

/** What routes are loaded with. */
export interface RouteContext {
  queries: QueryClient;
  site: Site;
}

/** Of routes that no shell is around, or that are the shell. */
const errorComponent = ({ error, reset }: ErrorComponentProps) => (
  <ProblemWindow error={error} onRetry={reset} />
);

const root = createRootRouteWithContext<RouteContext>()({
  component: Outlet,
  errorComponent,
  notFoundComponent: NotFound,
});

/** Where somebody without a destination goes. */
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  errorComponent,
  beforeLoad: async ({ context: { queries, site }, location }) => {
    const me = await findMe(queries);
    if (!me) throw toLogin(site, location.href);
    if (me.email_verification_required) throw toVerification(site, '/');
    const [only, ...others] = me.orgs;
    const last = me.orgs.find(({ slug }) => slug === localStorage.getItem('org'));
    const org = others.length === 0 ? only : last;
    if (org) throw redirect({ href: site.orgUrl(org.slug) });
    throw redirect({ to: only ? '/orgs' : '/orgs/new' });
  },
});

/** To the login page, which is on the base domain where there is one, and back from there. */
function toLogin(site: Site, back: string) {
  if (!site.sharesSession) {
    return new WrongHost(
      'Nobody can be signed in at this address',
      `Sign in at ${site.baseDomain}: your organizations are found from there.`,
      { label: `To ${site.baseDomain}`, href: site.signInUrl('/') },
    );
  }
  if (!site.signsIn) {
    const return_to = encodeURIComponent(location.origin + back);
    return redirect({ href: site.signInUrl(`/login?return_to=${return_to}`) });
  }
  return redirect({ to: '/login', search: back === '/' ? {} : { return_to: back } });
}

/** To the one page of an account that has to verify its address, which is where people sign in and out. */
function toVerification(site: Site, back: string) {
  const href = `/verify?return_to=${encodeURIComponent(location.origin + back)}`;
  return redirect({ href: site.signsIn ? href : site.signInUrl(href) });
}

const publicPages = createRoute({
  getParentRoute: () => root,
  id: '_public',
  component: PublicShell,
  errorComponent,
  beforeLoad: ({ context: { site }, location }) => {
    if (!site.signsIn) throw redirect({ href: site.signInUrl(location.href) });
  },
});

interface Passing {
  context: RouteContext;
  preload: boolean;
  search: { return_to?: string };
}

/** Who is signed in already goes on to where they wanted. */
async function passOn({ context: { queries, site }, preload, search }: Passing): Promise<void> {
  if (preload || !(await findMe(queries))) return;
  const href = destinationOfSignedIn(site, search.return_to);
  if (href) throw redirect({ href, replace: true });
}

const login = createRoute({
  getParentRoute: () => publicPages,
  path: '/login',
  validateSearch: textSearch('return_to', 'email'),
  beforeLoad: passOn,
  component: lazyRouteComponent(() => import('../auth/Login.tsx'), 'Login'),
});

const register = createRoute({
  getParentRoute: () => publicPages,
  path: '/register',
  validateSearch: textSearch('return_to', 'email'),
  beforeLoad: passOn,
  component: lazyRouteComponent(() => import('../auth/Register.tsx'), 'Register'),
});

const forgotPassword = createRoute({
  getParentRoute: () => publicPages,
  path: '/forgot-password',
  validateSearch: textSearch('email'),
  component: lazyRouteComponent(() => import('../auth/ForgotPassword.tsx'), 'ForgotPassword'),
});

const resetPassword = createRoute({
  getParentRoute: () => publicPages,
  path: '/reset-password',
  // `new` says that the account has no password yet.
  validateSearch: textSearch('token', 'new'),
  component: lazyRouteComponent(() => import('../auth/ResetPassword.tsx'), 'ResetPassword'),
});

const verifyEmail = createRoute({
  getParentRoute: () => publicPages,
  path: '/verify-email',
  validateSearch: textSearch('token', 'email_id'),
  component: lazyRouteComponent(() => import('../auth/VerifyEmail.tsx'), 'VerifyEmail'),
});

const undoEmailChange = createRoute({
  getParentRoute: () => publicPages,
  path: '/undo-email-change',
  validateSearch: textSearch('token'),
  component: lazyRouteComponent(() => import('../auth/UndoEmailChange.tsx'), 'UndoEmailChange'),
});

/** The page is for who has to verify an address; others go on to where they wanted. */
async function passVerified({ context: { queries, site }, preload, search }: Passing): Promise<void> {
  if (preload) return;
  const me = await findMe(queries);
  if (!me) throw toLogin(site, '/');
  if (!me.email_verification_required) throw redirect({ href: site.safeReturn(search.return_to) ?? '/' });
}

/** For an account that can do nothing until its address is verified. */
const verify = createRoute({
  getParentRoute: () => publicPages,
  path: '/verify',
  validateSearch: textSearch('return_to'),
  beforeLoad: passVerified,
  component: lazyRouteComponent(() => import('../auth/VerifyFirst.tsx'), 'VerifyFirst'),
});

/** Where the login of a second window ends. */
const done = createRoute({
  getParentRoute: () => publicPages,
  path: '/signed-in',
  component: lazyRouteComponent(() => import('../auth/SignedIn.tsx'), 'SignedIn'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: '_signed-in',
  errorComponent,
  beforeLoad: async ({ context: { queries, site }, location }) => {
    const me = await findMe(queries);
    if (!me) throw toLogin(site, location.publicHref);
    if (me.email_verification_required) throw toVerification(site, location.publicHref);
    return { me };
  },
});

const plain = createRoute({
  getParentRoute: () => signedIn,
  id: '_plain',
  component: PlainShell,
  errorComponent,
});

const orgs = createRoute({
  getParentRoute: () => plain,
  path: '/orgs',
  component: lazyRouteComponent(() => import('../orgs/Orgs.tsx'), 'Orgs'),
});

const newOrg = createRoute({
  getParentRoute: () => plain,
  path: '/orgs/new',
  component: lazyRouteComponent(() => import('../orgs/NewOrg.tsx'), 'NewOrg'),
});

const profile = createRoute({
  getParentRoute: () => plain,
  path: '/profile',
  component: lazyRouteComponent(() => import('../profile/Profile.tsx'), 'Profile'),
});

const profileEmails = createRoute({
  getParentRoute: () => profile,
  path: '/',
  component: lazyRouteComponent(() => import('../profile/Emails.tsx'), 'Emails'),
});

const profilePassword = createRoute({
  getParentRoute: () => profile,
  path: '/password',
  component: lazyRouteComponent(() => import('../profile/Password.tsx'), 'Password'),
});

const profileMfa = createRoute({
  getParentRoute: () => profile,
  path: '/mfa',
  validateSearch: textSearch('return_to'),
  component: lazyRouteComponent(() => import('../profile/mfa/Mfa.tsx'), 'Mfa'),
});

const profileSessions = createRoute({
  getParentRoute: () => profile,
  path: '/sessions',
  component: lazyRouteComponent(() => import('../profile/Sessions.tsx'), 'Sessions'),
});

const org = createRoute({
  getParentRoute: () => signedIn,
  path: '/o/$org',
  component: OrgShell,
  errorComponent,
  beforeLoad: ({ params, context: { me, site } }) => {
    const found = me.orgs.find(({ slug }) => slug === params.org);
    if (!found) throw new NoSuchOrg(params.org);
    if (!site.reaches(found.slug)) {
      throw new WrongHost(
        'This address belongs to another organization',
        `Open “${found.name}” at the address of the service itself.`,
        { label: 'Your organizations', href: '/orgs' },
      );
    }
    // Here the base domain names no organization.
    if (site.baseDomain !== '' && site.hostOrg !== params.org)
      throw redirect({ href: site.orgUrl(found.slug) });
    localStorage.setItem('org', found.slug);
    return { session: orgSession(found.slug, found) };
  },
});

const dashboard = createRoute({
  getParentRoute: () => org,
  path: '/',
  component: lazyRouteComponent(() => import('../dashboard/Dashboard.tsx'), 'Dashboard'),
});

const findings = createRoute({
  getParentRoute: () => org,
  path: '/findings',
  validateSearch: findingSearch,
  component: lazyRouteComponent(() => import('../findings/list/Findings.tsx'), 'Findings'),
});

const finding = createRoute({
  getParentRoute: () => org,
  path: '/findings/$id',
  // The list it was opened from, and its place there, counted from 1: for next and previous.
  validateSearch: (given: Record<string, unknown>) =>
    withoutUndefined<ReturnType<typeof findingSearch> & { at?: number }>({
      ...findingSearch(given),
      at: wholeNumber(given.at),
    }),
  component: lazyRouteComponent(() => import('../findings/page/FindingPage.tsx'), 'FindingPage'),
});

const scans = createRoute({
  getParentRoute: () => org,
  path: '/scans',
  validateSearch: (given: Record<string, unknown>) =>
    withoutUndefined<{ project_id?: string; status?: string; page?: number }>({
      ...textSearch('project_id', 'status')(given),
      page: wholeNumber(given.page),
    }),
  component: lazyRouteComponent(() => import('../scans/Scans.tsx'), 'Scans'),
});

const scan = createRoute({
  getParentRoute: () => org,
  path: '/scans/$id',
  validateSearch: textSearch('against'),
  component: lazyRouteComponent(() => import('../scans/ScanPage.tsx'), 'ScanPage'),
});

const projects = createRoute({
  getParentRoute: () => org,
  path: '/projects',
  component: lazyRouteComponent(() => import('../projects/Projects.tsx'), 'Projects'),
});

const project = createRoute({
  getParentRoute: () => org,
  path: '/projects/$slug',
  component: lazyRouteComponent(() => import('../projects/ProjectPage.tsx'), 'ProjectPage'),
});

const members = createRoute({
  getParentRoute: () => org,
  path: '/members',
  component: lazyRouteComponent(() => import('../members/Members.tsx'), 'Members'),
});

const tokens = createRoute({
  getParentRoute: () => org,
  path: '/tokens',
  component: lazyRouteComponent(() => import('../tokens/Tokens.tsx'), 'Tokens'),
});

const features = createRoute({
  getParentRoute: () => org,
  path: '/features',
  component: lazyRouteComponent(() => import('../features/Features.tsx'), 'Features'),
});

const tree = root.addChildren([
  home,
  publicPages.addChildren([
    login,
    register,
    forgotPassword,
    resetPassword,
    verifyEmail,
    verify,
    undoEmailChange,
    done,
  ]),
  signedIn.addChildren([
    plain.addChildren([
      orgs,
      newOrg,
      profile.addChildren([profileEmails, profilePassword, profileMfa, profileSessions]),
    ]),
    org.addChildren([
      dashboard,
      findings,
      finding,
      scans,
      scan,
      projects,
      project,
      members,
      tokens,
      features,
    ]),
  ]),
]);

/** The pages at their addresses. */
export function createPages(context: RouteContext) {
  const router = createRouter({
    routeTree: tree,
    context,
    rewrite: context.site.rewrite,
    parseSearch,
    stringifySearch,
    // What a page does not understand of its address is not handed on.
    search: { strict: true },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: ({ error, reset }) => <ProblemPage error={error} onRetry={reset} />,
    defaultPendingComponent: Waiting,
    scrollRestoration: true,
  });
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    // The link that led here is gone with its page: who reads by ear, or goes by keyboard, begins at the new one.
    if (!fromLocation || !pathChanged || document.activeElement !== document.body) return;
    document.getElementById('main')?.focus({ preventScroll: true });
  });
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}
