import { queryOptions } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, type Client, isSignedOut, orgApi, type Schemas } from './api.ts';

export type Role = Schemas['Member']['role'];

/** Roles, each of which may do what those behind it may. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const satisfies readonly Role[];

/** Who is signed in, with their organizations; null when nobody is. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async () => {
    try {
      return (await api.get('/auth/me')).result;
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** The signed-in user, and their organizations. */
export type Me = NonNullable<Awaited<ReturnType<NonNullable<typeof meQuery.queryFn>>>>;

export const signedIn = getRouteApi('/_signed-in');
const orgRoute = getRouteApi('/_signed-in/o/$org');

/** The signed-in user; below the routes that ask for one. */
export const useMe = (): Me => signedIn.useRouteContext({ select: ({ me }) => me });

/** An organization as one of its members sees it. */
export interface OrgSession {
  slug: string;
  org: Schemas['Organization'];
  role: Role;
  api: Client;
  /** Whether the user may do what is for this role and those above. */
  may(least: Role): boolean;
}

export function orgSession(slug: string, org: Schemas['Organization']): OrgSession {
  const { role } = org;
  return {
    slug,
    org,
    role,
    api: orgApi(slug),
    may: (least) => ROLES.indexOf(role) <= ROLES.indexOf(least),
  };
}

/** The organization of the page; below `/o/$org`. */
export const useOrg = (): OrgSession => orgRoute.useRouteContext({ select: ({ session }) => session });
