import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import * as text from '#strings/routes.ts';
import { late } from '../app/late.ts';
import { WrongHost } from '../app/org-errors.ts';
import { findMe } from '../app/session.ts';
import type { Site } from '../app/site.ts';
import { ProblemWindow } from '../components/errors/Problem.tsx';
import { NotFound } from '../shell/ErrorPages.tsx';

/** The context of every route. */
export interface RouteContext {
  queries: QueryClient;
  site: Site;
}

/** For errors of a route that is a shell or has no shell. */
export const errorComponent = ({ error, reset }: ErrorComponentProps) => (
  <ProblemWindow error={error} onRetry={reset} />
);

/** The component of a page. Its code is loaded with the styles of what the first load does not show. */
export const page = <M extends Record<string, unknown>, Name extends keyof M & string>(
  load: () => Promise<M>,
  name: Name,
) => lazyRouteComponent(late(load), name);

export const root = createRootRouteWithContext<RouteContext>()({
  component: Outlet,
  // Keeps all parameters of an address, for the error about those that the page does not have.
  validateSearch: (given: Record<string, unknown>) => given as Record<never, never>,
  errorComponent,
  notFoundComponent: () => <NotFound />,
});

/** The parent of all routes that need a session. */
export const signedIn = createRoute({
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

/** Redirects to the sign-in page, which is on the base domain if there is one, and back afterwards. */
export function toLogin(site: Site, back: string) {
  if (!site.sharesSession) {
    return new WrongHost(text.noSignInHere, text.signInAt(site.baseDomain), {
      label: text.goTo(site.baseDomain),
      href: site.signInUrl('/'),
    });
  }
  if (!site.signsIn) {
    const return_to = encodeURIComponent(location.origin + back);
    return redirect({ href: site.signInUrl(`/login?return_to=${return_to}`) });
  }
  return redirect({ to: '/login', search: back === '/' ? {} : { return_to: back } });
}

/** Redirects to the page that asks an account to verify its address, on the host where users sign in. */
export function toVerification(site: Site, back: string) {
  const href = `/verify?return_to=${encodeURIComponent(location.origin + back)}`;
  return redirect({ href: site.signsIn ? href : site.signInUrl(href) });
}
