import { destinations as t } from '../../db/schema/destinations.ts';
import {
  requireAddress,
  requireProjects,
  requireRoom,
  requireStillAdmin,
} from '../../lib/destinations/destinations.ts';
import { MAX_DESTINATIONS, originOf, WEBHOOKS } from '../../lib/destinations/groups.ts';
import { follow } from '../../lib/events/following.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { created } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { mailControl } from '../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import {
  auditedValues,
  newColumns,
  toWebhook,
  WebhookInput,
  WebhookWithSecret,
} from '../../lib/webhooks/fields.ts';
import { factsOf } from '../../lib/webhooks/notices.ts';
import { newSecret, sealSecret } from '../../lib/webhooks/secrets.ts';

export const createWebhook = endpoint(
  {
    method: 'post',
    path: '/webhooks',
    access: freshCookieOrg('admin', 'none'),
    audit: 'webhook.created',
    tag: 'Webhooks',
    summary: 'Add a webhook',
    description: `Events of the organization that happen from now on are sent to \`url\`, as \`POST\` requests that \`secret\` signs. The secret is returned only here and by \`POST /webhooks/{id}/rotate-secret\`. An organization has at most ${MAX_DESTINATIONS} webhooks (409 \`conflict\`). All owners get a mail.`,
    request: { body: WebhookInput },
    responses: { 201: { description: 'The webhook with its secret.', result: WebhookWithSecret } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, org, services, user } = call;
    requireAddress(services.outbound.webhookRefusal(body.url));
    const actor = call.freshActor();
    const { id, at } = services.nextId();
    const secret = newSecret();
    const sealed = await sealSecret(services.secretBox, id, secret);
    const row = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx, tables) => {
          await requireStillAdmin(tx, org.id, user.id);
          await requireRoom(tx, org.id, WEBHOOKS);
          await requireProjects(tx, tables, 'project_ids', body.project_ids);
          const columns = newColumns({ id, at, orgId: org.id, secret: sealed }, body);
          const [inserted] = await tx.insert(t).values(columns).returning();
          if (!inserted) throw new Error('the webhook was not inserted');
          await follow(tx, org.id, at);
          await mailControl(tx, actor, org.id, 'webhook_created', factsOf(inserted));
          return inserted;
        }),
      (made) => ({
        target: { type: 'webhook', id: made.id, name: originOf(made) },
        changes: newValues(auditedValues(made)),
      }),
    );
    services.mail.kick();
    services.outbox.followed(org.id);
    logSecurityEvent(call, 'org_setting_changed', { setting: 'webhook', webhook: id, to: 'created' });
    return created({ ...toWebhook(row, call.now), secret });
  },
);
