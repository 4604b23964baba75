import { and, desc, eq, gt, isNull } from 'drizzle-orm';
import { toResource } from '../../../db/resources.ts';
import { sessions } from '../../../db/schema/accounts.ts';
import { idleLimit } from '../../../lib/accounts/sessions/sessions.ts';
import { cookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { id, shown, timestamp, z } from '../../../lib/schema.ts';

const Session = z
  .object({
    id: id(),
    ip_address: shown('203.0.113.7'),
    user_agent: shown('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'),
    browser: shown('Firefox 140'),
    os: shown('Linux'),
    device_type: shown('desktop'),
    created_at: timestamp(),
    last_active_at: timestamp(),
    expires_at: timestamp(),
    current: z.boolean().openapi({ example: true }),
  })
  .openapi('Session');

export const listSessions = endpoint(
  {
    method: 'get',
    path: '/profile/sessions',
    access: cookie,
    tag: 'Profile: sessions',
    summary: 'List the live sessions of the account',
    responses: {
      200: {
        description: 'The sessions, newest first; `current` marks the session of this request.',
        result: z.object({ sessions: z.array(Session) }),
      },
    },
  },
  async ({ db, now, services, sessionId, user }) => {
    const rows = await db
      .select({
        id: sessions.id,
        ip_address: sessions.ipAddress,
        user_agent: sessions.userAgent,
        browser: sessions.browser,
        os: sessions.os,
        device_type: sessions.deviceType,
        created_at: sessions.createdAt,
        last_active_at: sessions.lastActiveAt,
        expires_at: sessions.expiresAt,
      })
      .from(sessions)
      .where(
        and(
          eq(sessions.userId, user.id),
          isNull(sessions.revokedAt),
          gt(sessions.expiresAt, now),
          gt(sessions.lastActiveAt, idleLimit(services.config, now)),
        ),
      )
      .orderBy(desc(sessions.createdAt), desc(sessions.id));
    return ok({ sessions: rows.map((row) => ({ ...toResource(row), current: row.id === sessionId })) });
  },
);
