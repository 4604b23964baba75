import { and, eq, isNotNull, or } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { userEmails, users } from '../../db/shared.ts';
import { startSession, toUser } from '../../lib/auth/sessions.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { endpoint, ok } from '../../lib/http/endpoint.ts';
import { ApiError } from '../../lib/http/errors.ts';
import { z } from '../../lib/http/schema.ts';
import { User } from '../../lib/resources.ts';

export const login = endpoint(
  {
    method: 'post',
    path: '/auth/login',
    access: baseDomainOnly,
    tag: 'Auth',
    summary: 'Log in',
    description: 'With the primary or any verified e-mail address of the account.',
    request: {
      body: z.object({
        email: z.string().trim().toLowerCase(),
        password: z.string().openapi({ format: 'password' }),
      }),
    },
    responses: {
      200: { description: 'The user; the session cookie is set.', result: z.object({ user: User }) },
    },
    errors: ['auth_error/invalid_credentials'],
  },
  async (call) => {
    const { body, db, services } = call;
    // No address has these; PostgreSQL would refuse to look for them.
    const address = body.email.replaceAll('\0', '\ufffd').toWellFormed();
    const primary = alias(userEmails, 'primary_email');
    const [account] = await db
      .select({
        id: users.id,
        email: primary.email,
        name: users.name,
        avatarUrl: users.avatarUrl,
        createdAt: users.createdAt,
        passwordHash: users.passwordHash,
      })
      .from(userEmails)
      .innerJoin(users, eq(users.id, userEmails.userId))
      .innerJoin(primary, and(eq(primary.userId, users.id), eq(primary.isPrimary, true)))
      .where(
        and(
          eq(userEmails.email, address),
          or(eq(userEmails.isPrimary, true), isNotNull(userEmails.verifiedAt)),
        ),
      );
    const matches = await services.hasher.verify(account?.passwordHash, body.password.slice(0, 1024));
    if (!account || !matches) throw new ApiError('auth_error/invalid_credentials');
    return ok({ user: toUser(account) }, { headers: await startSession(db, call, account.id) });
  },
);
