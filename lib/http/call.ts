import type { Context } from 'hono';
import type { Db } from '../../db/client.ts';
import type { Sql } from '../../db/pool/query.ts';
import type { Role } from '../../db/schema/orgs.ts';
import type { FoundInOrg, FoundSession, SessionUser } from '../accounts/sessions/look-up.ts';
import type { Logger } from '../logger.ts';
import type { Org } from '../orgs/directory.ts';
import type { Services } from '../services.ts';
import type { ApiToken } from '../tokens/api-tokens.ts';
import type { Peer } from './peer.ts';
import type { ResponseContext } from './respond.ts';
import type { Trace } from './trace.ts';

/** What is known of every request; kept in the Hono context under `request`. */
export interface RequestContext extends ResponseContext {
  peer: Peer;
  /** What log lines about it are found by: its id, and its place in a trace. */
  ids: { request_id: string } & Partial<Trace>;
  /** The matched route's pattern; bounds the label of metrics. */
  route: string;
  /** Logged at debug only. */
  quiet: boolean;
  /** Shown in the request's log line. */
  org?: string;
  user?: string;
  /** Id of an agent's API token. */
  token?: string;
}

/** The Hono context before the endpoint is known. */
export interface RequestEnv {
  Variables: { request: RequestContext };
}

/** The Hono context of an endpoint: its middleware completes the call step by step, until it is a `C`. */
export interface CallEnv<C extends PublicCall = PublicCall> {
  Variables: {
    request: RequestContext;
    call: C;
  };
}

export type AppEnv = CallEnv;

/** What every handler gets. */
export interface PublicCall {
  c: Context<AppEnv>;
  services: Services;
  /** The API's description in YAML. */
  openApi: () => string;
  /** Drizzle over the pool; in a call to an organization, over its share of the connections. */
  db: Db;
  /** The same for statements that are built by hand. */
  sql: Sql;
  log: Logger;
  /** Makes room for other requests to the organization, while this one waits or its answer is read. */
  stepAside(): void;
  peer: Peer;
  /** The request's time, by the services' clock. */
  now: Date;
  /** The organization that the request names, once something has asked for it (`resolveOrg`). */
  namedOrg?: Promise<Org>;
}

/** A call with a live session. */
export interface CookieCall extends PublicCall {
  session: FoundSession;
  user: SessionUser;
  sessionId: string;
}

/** A call to an organization. */
export interface InOrgCall extends PublicCall {
  org: Org;
}

/** A call of an organization's member. */
export interface OrgCall extends CookieCall, InOrgCall {
  role: Role;
}

/** The same, with what the session's look-up found about the membership. */
export interface MemberCall extends OrgCall {
  session: FoundInOrg;
}

/** A call of an agent. */
export interface AgentCall extends InOrgCall {
  token: ApiToken;
  /** Tells that the handler has set the token's `last_used` itself. */
  tokenTouched(): void;
}

/** A call of an agent that names a project. */
export interface ProjectCall extends AgentCall {
  /** An existing project that the token may act on. */
  projectId: string;
}
