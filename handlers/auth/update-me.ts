import { eq } from 'drizzle-orm';
import { users } from '../../db/schema/accounts.ts';
import { toUser } from '../../lib/accounts/sessions/sessions.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookie } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { name } from '../../lib/http/fields.ts';
import { Account } from '../../lib/resources.ts';
import { optional, text, z } from '../../lib/schema.ts';

/** An https URL without credentials. It is text for clients: the service never requests it. */
const isAvatarUrl = (value: string) =>
  value === '' || (/^https:\/\/[^/\s@\\]+(?:\/\S*)?$/.test(value) && URL.canParse(value));

const AccountUpdate = z
  .object({
    name: optional(name('Ada Lovelace')),
    avatar_url: optional(
      text({ max: 500, trim: true, example: 'https://images.example.com/ada.png' }).refine(
        isAvatarUrl,
        'must be an https URL or empty',
      ),
    ).openapi({
      description: 'An https URL, or empty to remove it. The web UI loads no pictures from other sites.',
    }),
  })
  .openapi('AccountUpdate', { example: { name: 'Ada Lovelace' } });

export const updateMe = endpoint(
  {
    method: 'patch',
    path: '/auth/me',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Change the name or the picture of the signed-in user',
    description:
      'Members of the same organizations see the new name everywhere, also in the activity of findings. A field that is left out stays; at least one is required.',
    request: { body: AccountUpdate },
    responses: { 200: { description: 'The account.', result: Account } },
    errors: ['validation_error/field_required'],
  },
  async ({ body, db, user }) => {
    const changes = {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.avatar_url !== undefined && { avatarUrl: body.avatar_url }),
    };
    if (Object.keys(changes).length === 0)
      throw new ApiError('validation_error/field_required', {
        details: [{ field: 'name', message: 'is required' }],
      });
    await db.update(users).set(changes).where(eq(users.id, user.id));
    return ok({ ...toUser({ ...user, ...changes }), mfa_enabled: user.mfaEnabled });
  },
);
