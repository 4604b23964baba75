import { eq } from 'drizzle-orm';
import { destinations as t } from '../../db/schema/destinations.ts';
import { requireDestination, requireStillAdmin } from '../../lib/destinations/destinations.ts';
import { originOf, WEBHOOKS } from '../../lib/destinations/groups.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { z } from '../../lib/schema.ts';
import { toWebhook, WebhookWithSecret } from '../../lib/webhooks/fields.ts';
import { newSecret, rotatedColumns, sealSecret } from '../../lib/webhooks/secrets.ts';

export const rotateWebhookSecret = endpoint(
  {
    method: 'post',
    path: '/webhooks/{id}/rotate-secret',
    access: freshCookieOrg('admin', 'none'),
    audit: 'webhook.secret_rotated',
    tag: 'Webhooks',
    summary: 'Replace the secret of a webhook',
    description:
      'For 24 hours, the former secret signs beside the new one. Only the latest former secret does: after a second rotation, the first secret no longer signs.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'The webhook with its new secret.', result: WebhookWithSecret } },
    storage: 'changes',
  },
  async (call) => {
    const { now, org, params, services, user } = call;
    const secret = newSecret();
    const sealed = await sealSecret(services.secretBox, params.id, secret);
    const row = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx) => {
          await requireStillAdmin(tx, org.id, user.id);
          const found = await requireDestination(tx, org.id, WEBHOOKS, params.id);
          const columns = rotatedColumns(found, sealed, now);
          const [rotated] = await tx.update(t).set(columns).where(eq(t.id, found.id)).returning();
          if (!rotated) throw new ApiError('resource_error/not_found');
          return rotated;
        }),
      (rotated) => ({ target: { type: 'webhook', id: rotated.id, name: originOf(rotated) } }),
    );
    logSecurityEvent(call, 'org_setting_changed', {
      setting: 'webhook',
      webhook: row.id,
      to: 'secret_rotated',
    });
    return ok({ ...toWebhook(row, now), secret });
  },
);
