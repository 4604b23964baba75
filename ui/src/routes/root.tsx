import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { late } from '../app/late.ts';
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
  errorComponent,
  notFoundComponent: () => <NotFound />,
});
