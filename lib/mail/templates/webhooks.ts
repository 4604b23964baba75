import type { DisabledReason } from '../../../db/events/destinations.ts';
import type { MailContent } from '../mailer.ts';
import { dateTime, line, person, render, unlinked, withoutPhone } from './letter.ts';

const WHY = {
  failing: 'All deliveries have failed for three days.',
  gone: 'The receiver answered with the status 410 (gone).',
} satisfies Record<DisabledReason, string>;

/** Notice to the owners and admins of an organization about a webhook that the service has switched off. */
export function webhookDisabled({
  name,
  org,
  url,
  reason,
  since,
  at,
}: {
  name: string;
  org: { name: string; slug: string };
  url: string;
  reason: DisabledReason;
  /** The first failure. */
  since: Date;
  at: Date;
}): MailContent {
  const facts: [string, string][] = [
    ['Organization', `${person(org.name)} (${withoutPhone(org.slug)})`],
    ['Address', unlinked(url, 254)],
    ['Reason', WHY[reason]],
    ['First failure', dateTime(since)],
    ['Switched off', dateTime(at)],
  ];
  // A subject has no invisible characters, so a name that mail programs might take for a link is replaced.
  const shown = person(org.name) === line(org.name, 60) ? person(org.name) : withoutPhone(org.slug);
  const content = render({
    subject: `A webhook of the organization ${shown} was switched off`,
    name,
    intro: ['The service no longer sends events to a webhook:'],
    facts,
    closing: [
      'To switch it on again, repair the receiver, sign in and enable the webhook. Events that are still pending are sent then.',
      'If the webhook is no longer needed, delete it.',
    ],
  });
  return { ...content, facts };
}
