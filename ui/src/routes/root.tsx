import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, type ErrorComponentProps, Outlet } from '@tanstack/react-router';
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

export const root = createRootRouteWithContext<RouteContext>()({
  component: Outlet,
  errorComponent,
  notFoundComponent: () => <NotFound />,
});
