import type { Context } from 'hono';
import type { Db } from '../../db/client.ts';
import type { Sql } from '../../db/pool/query.ts';
import type { Role } from '../../db/schema/orgs.ts';
import type { SessionUser } from '../accounts/sessions/look-up.ts';
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

export type AppEnv = { Variables: { request: RequestContext } };

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
}

/** A call with a live session. */
export interface CookieCall extends PublicCall {
  user: SessionUser;
  sessionId: string;
}

/** A call of an organization's member. */
export interface OrgCall extends CookieCall {
  org: Org;
  role: Role;
}

/** A call of an agent. */
export interface AgentCall extends PublicCall {
  org: Org;
  token: ApiToken;
  /** Tells that the handler has set the token's `last_used` itself. */
  tokenTouched(): void;
}
