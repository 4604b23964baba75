import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Operation } from '../../../lib/client/roles.ts';
import { api, type Client, isSignedOut, orgApi, type Schemas } from './api.ts';
import { mayCall, type Role } from './roles.ts';
import type { Site } from './site.ts';

/** The site and its user; without `user` if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    const read = () => api.get('/auth/session');
    // The first response clears an invalid cookie.
    const { result } = await read().catch((error) => (isSignedOut(error) ? read() : Promise.reject(error)));
    return result;
  },
  staleTime: 60_000,
});

type Session = Awaited<ReturnType<NonNullable<typeof sessionQuery.queryFn>>>;

/** The signed-in user and their organizations. */
export type Me = Session & Required<Pick<Session, 'user'>>;

/** The signed-in user; undefined if nobody is signed in. */
export async function findMe(queries: QueryClient): Promise<Me | undefined> {
  const session = await queries.query(sessionQuery);
  const { user } = session;
  return user && { ...session, user };
}

/** Whether no mail provider is configured. The links of mails are then in the log of the server. */
export const useMailsInLog = (): boolean =>
  useQueryClient().getQueryData(sessionQuery.queryKey)?.mails_in_log === true;

export const signedIn = getRouteApi('/_signed-in');
const orgRoute = getRouteApi('/_signed-in/o/$org');

/** The signed-in user. Available below the routes that require one. */
export const useMe = (): Me => signedIn.useRouteContext({ select: ({ me }) => me });

/** An organization from the view of a member. */
export interface OrgSession {
  slug: string;
  org: Schemas['Organization'];
  role: Role;
  api: Client;
  /** Whether the user reaches only assigned projects. */
  isLimited: boolean;
  /**
   * Whether the user's role allows an operation of the API.
   * @param project the one that the operation is about; without it, whether there may be such a project
   */
  may(operation: Operation, project?: { role?: Role }): boolean;
}

export function orgSession(slug: string, org: Schemas['Organization']): OrgSession {
  const { role } = org;
  const isLimited = org.project_access === 'assigned';
  return {
    slug,
    org,
    role,
    api: orgApi(slug),
    isLimited,
    may: (operation, project) => mayCall({ role, isLimited }, operation, project),
  };
}

/** The organization of the page. Available below `/o/$org`. */
export const useOrg = (): OrgSession => orgRoute.useRouteContext({ select: ({ session }) => session });

/**
 * Ends the session and loads another page, which clears the memory. `POST /auth/logout` works on the base domain only, other
 * hosts revoke the session.
 * @param next the page after that
 */
export async function signOut(site: Site, next = '/login'): Promise<void> {
  try {
    if (site.signsIn) {
      // The type of the client knows no result that may be absent.
      const { result } = (await api.post('/auth/logout')) as { result?: { logout_url: string } };
      // The provider of the sign-in ends its session too, and leads back.
      if (result) return location.assign(result.logout_url);
    } else await revokeOwn();
  } catch (error) {
    // The session has already ended.
    if (!isSignedOut(error)) throw error;
  }
  location.assign(site.signInUrl(next));
}

async function revokeOwn(): Promise<void> {
  const { sessions } = (await api.get('/profile/sessions')).result;
  const own = sessions.find(({ current }) => current);
  if (own) await api.delete('/profile/sessions/{id}', { params: { path: { id: own.id } } });
}
