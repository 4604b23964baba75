import type { Context } from 'hono';
import type { Db } from '../../db/client.ts';
import type { Sql } from '../../db/pool/query.ts';
import type { Role } from '../../db/schema/orgs.ts';
import type { FoundMembership, FoundSession, SessionUser } from '../accounts/sessions/look-up.ts';
import type { Logger } from '../logger.ts';
import type { Org } from '../orgs/directory.ts';
import type { Actor } from '../orgs/notices.ts';
import type { Reach } from '../projects/reach.ts';
import type { Services } from '../services.ts';
import type { ApiToken } from '../tokens/api-tokens.ts';
import type { PersonalToken } from '../tokens/personal-tokens.ts';
import type { Peer } from './request/peer.ts';
import type { Trace } from './request/trace.ts';
import type { ResponseContext } from './respond.ts';

/** Data of every request, stored in the Hono context under `request`. */
export interface RequestContext extends ResponseContext {
  peer: Peer;
  /** The fields that identify the request in log lines. */
  ids: { request_id: string } & Partial<Trace>;
  /** The matched route's pattern. Metrics use it as a label because it has few values. */
  route: string;
  /** Logged at debug only. */
  quiet: boolean;
  /** Shown in the request's log line. */
  org?: string;
  user?: string;
  /** Id of the API token or the personal access token. */
  token?: string;
}

/** The Hono context before the endpoint is known. */
export interface RequestEnv {
  Variables: { request: RequestContext };
}

/** The Hono context of an endpoint. Its middleware adds properties to the call until it is a `C`. */
export interface CallEnv<C extends PublicCall = PublicCall> {
  Variables: {
    request: RequestContext;
    call: C;
  };
}

export type AppEnv = CallEnv;

/** The OpenAPI document as text. */
export type Description = (format: 'yaml' | 'json') => string;

/** The argument of every handler. */
export interface PublicCall {
  c: Context<AppEnv>;
  services: Services;
  openApi: Description;
  /** Drizzle on the pool. In a call to an organization, limited to its share of the connections. */
  db: Db;
  /** The same connections, for SQL text. */
  sql: Sql;
  log: Logger;
  /** Leaves the organization's gate early, so that another request can enter while this one waits or is streamed. */
  leaveGate(): void;
  peer: Peer;
  /** When the request arrived, by the services' clock. */
  now: Date;
  /** The JSON body as it was sent, if the endpoint declares `maxBytes`; otherwise empty. */
  bodyBytes: Uint8Array<ArrayBuffer>;
  /** The request has a token of the organization that only sends findings, where reading is asked for. */
  onlySends?: boolean;
  /** Repeats the access checks of a call to an organization. @throws ApiError when the caller has lost access, or reaches fewer projects */
  recheck?: () => Promise<void>;
  /** The organization of a path that the caller is a member of. */
  refusingOrg?: Org;
  /** The cached result of `resolveOrg`. */
  namedOrg?: Promise<Org>;
}

/** A call of a user, with a live session or a personal access token. */
export interface UserCall extends PublicCall {
  user: SessionUser;
  /** Unset: the call has a session. */
  personalToken?: PersonalToken;
}

/** A call with a live session. */
export interface CookieCall extends UserCall {
  session: FoundSession;
  sessionId: string;
}

/** A call of an endpoint that declares a step-up. */
export interface FreshCall extends PublicCall {
  /**
   * The actor of a change of control, for the functions that make one.
   * @throws ApiError `permission_error/step_up_required` without a sign-in or step-up within the last 10 minutes
   */
  freshActor(): Actor;
}

/** A call to an organization. */
export interface InOrgCall extends PublicCall {
  org: Org;
}

/** The author of what a call writes. */
export interface CallActor {
  type: 'user' | 'token';
  id: string;
  name: string;
}

/** A call of an organization's member, or with a token of the organization. */
export interface OrgCall extends InOrgCall {
  /**
   * The member's role, but with a token at most that of its scopes. A member whose access is limited to projects has the role in the
   * project of the path, otherwise `member` at most.
   */
  role: Role;
  actor: CallActor;
  /** The id of the member, or of the creator of the token, who may be gone. */
  accountId: string;
  /** The projects that the caller reaches. Unset: all. */
  reach?: Reach | undefined;
  /**
   * The project that the path names, or of the finding or scan that it names, which the caller reaches. The slug may be another project's
   * by now. Unset: the caller reaches all projects, or the path names none of these.
   */
  checkedProject?: string;
  /** The member. Unset: the call has a token of the organization. */
  user?: SessionUser;
}

/** A call of an organization's member. */
export interface MemberCall extends UserCall, OrgCall {
  user: SessionUser;
  membership: FoundMembership;
}

/** A call of an organization's member with a live session. */
export interface SessionMemberCall extends CookieCall, MemberCall {
  user: SessionUser;
}

/** A call with a token of the organization. */
export interface TokenCall extends InOrgCall {
  /** The API token as sent, not checked. */
  bearer: string;
  token: ApiToken;
}

/** A call of an agent. */
export interface AgentCall extends TokenCall {
  /** Whether a statement of the handler has set the token's `last_used`. */
  tokenTouched: boolean;
}

/** A call of an agent that names a project. */
export interface ProjectCall extends AgentCall {
  /** An existing project that the token may act on. */
  projectId: string;
}
