import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { parseSearch, stringifySearch } from '../app/search.ts';
import { findMe } from '../app/session.ts';
import { ProblemPage } from '../components/errors/Problem.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { triageForm } from '../triage/form/triage-form.ts';
import { accountPages } from './account.ts';
import { orgPages } from './org.ts';
import { publicPages } from './public.ts';
import { errorComponent, type RouteContext, root, signedIn, toLogin, toVerification } from './root.tsx';

/** Redirects to the last organization, the list of organizations or the sign-in page. */
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

const tree = root.addChildren([home, publicPages, signedIn.addChildren([accountPages, orgPages])]);

/** Creates the router. */
export function createPages(context: RouteContext) {
  const router = createRouter({
    routeTree: tree,
    context,
    rewrite: context.site.rewrite,
    parseSearch,
    stringifySearch,
    // Links do not keep parameters that the page does not know.
    search: { strict: true },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: ({ error, reset }) => <ProblemPage error={error} onRetry={reset} />,
    defaultPendingComponent: Waiting,
    scrollRestoration: true,
  });
  // The form is about findings of the page that the user leaves.
  router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
    if (pathChanged) triageForm.set(undefined);
  });
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    // The link that had the focus is gone. Screen readers and keyboards continue at the new page.
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
