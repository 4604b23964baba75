import { join } from 'node:path';
import type { TextQuery } from '../../db/stream.ts';
import { startHelper } from '../../tests/support/load/helper.ts';
import { type Scene, SESSION_SECRET } from '../../tests/support/scenario/scene.ts';

/** As many as the server has. */
export const CONNECTIONS = 10;

/** Parameters that are replaced by values of the request. */
export const PLACES = {
  org: '<organization>',
  session: '<session>',
  token: '<hash of the token>',
  id: '<id>',
  body: '<body>',
} as const;

/** An endpoint that one or two statements answer. A statement without a row means that the caller is not allowed. */
export interface HandWritten {
  databaseUrl: string;
  /** The secret of session tokens. */
  secret: string;
  route: { method: 'GET' | 'POST'; path: string; list?: boolean };
  orgId: string;
  /** The first column of the last one is the result, as JSON. */
  statements: readonly TextQuery[];
  status: 200 | 201;
}

/** How the limit is named in the results. */
export const BY_HAND = 'bare Hono with a prepared statement';

/** A condition for a session that may read the organization. @param at the number of its first parameter */
export const sessionCheck = (at: number) => `exists (
  select from shared.sessions s join shared.memberships m on m.user_id = s.user_id
  where s.id = $${at}::uuid and s.revoked_at is null and s.expires_at > now() and m.org_id = $${at + 1}::uuid)`;

/** Starts the endpoint in a process of its own. @returns its address */
export async function startHandWritten(
  scene: Scene,
  endpoint: Omit<HandWritten, 'databaseUrl' | 'secret'>,
): Promise<string> {
  const { url: databaseUrl } = await scene.database();
  const helper = startHelper<HandWritten, never, string>(join(import.meta.dirname, 'by-hand.ts'), {
    ...{ ...endpoint, databaseUrl, secret: SESSION_SECRET },
  });
  scene.site.onClose(helper.kill);
  await helper.reached();
  return helper.progress() ?? '';
}
