import { removeDeliveries } from '../../../db/destinations/deliveries.ts';
import { removeIssues } from '../../../db/issues/purge.ts';
import { requireDestination, requireStillAdmin } from '../../destinations/destinations.ts';
import { articled, type DestinationGroup, type DestinationRow } from '../../destinations/groups.ts';
import type { Facts } from '../../destinations/notices.ts';
import { deleteDestination } from '../../events/following.ts';
import { mailControl } from '../../orgs/notices.ts';
import { inOrgQuota } from '../../quotas.ts';
import { z } from '../../schema.ts';
import { freshCookieOrg } from '../access.ts';
import { noContent } from '../answer.ts';
import { newValues } from '../audit.ts';
import { endpoint } from '../endpoint.ts';
import { idParam } from '../fields.ts';
import { logSecurityEvent } from '../security-log.ts';

/**
 * The endpoint that deletes a destination of a group.
 * @param deleted what is deleted with it, as sentences
 * @param factsOf the facts about it in the mail to owners
 */
export const deleteDestinationEndpoint = (
  group: DestinationGroup,
  deleted: string,
  factsOf: (row: DestinationRow) => Facts,
) =>
  endpoint(
    {
      method: 'delete',
      path: `/${group.path}/{id}`,
      access: freshCookieOrg('admin', 'none'),
      audit: `${group.noun}.deleted`,
      tag: group.tag,
      summary: `Delete ${articled(group)}`,
      description: `${deleted} All owners get a mail.`,
      request: { params: z.object({ id: idParam() }) },
      responses: { 204: { description: 'Deleted.' } },
    },
    async (call) => {
      const { log, org, params, services, sql, user } = call;
      const { noun, nameOf } = group;
      const actor = call.freshActor();
      const { id } = await call.audited(
        (inside) =>
          inOrgQuota(inside, async (tx) => {
            await requireStillAdmin(tx, org.id, user.id);
            const found = await requireDestination(tx, org.id, group, params.id);
            await deleteDestination(tx, found);
            await mailControl(tx, actor, org.id, `${noun}_deleted`, factsOf(found));
            return found;
          }),
        (row) => ({
          target: { type: noun, id: row.id, name: nameOf(row) },
          changes: newValues({ events: row.events }),
        }),
      );
      services.mail.kick();
      services.outbox.followed(org.id);
      logSecurityEvent(call, 'org_setting_changed', { setting: noun, [noun]: id, to: 'deleted' });
      // Nothing reads them any more, so a failure is none of the request.
      const removed = Promise.all([removeDeliveries(sql, org.tables, id), removeIssues(sql, org.tables, id)]);
      await removed.catch((error) =>
        log.warn('the deliveries and issues of a deleted destination were not removed', {
          destination: id,
          error,
        }),
      );
      return noContent();
    },
  );
