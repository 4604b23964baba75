import type { InOrgCall } from '../call.ts';
import { middleware } from './middleware.ts';

/** Publishes the events of a request to an organization after it has succeeded. Runs after the access checks and the input. */
export const events = middleware<InOrgCall>([], async function events(c, next) {
  await next();
  const { org, services } = c.get('call');
  if (!c.res.ok) return;
  services.outbox.kick(org.id);
  services.eventFeeds.wake(org.id);
});
