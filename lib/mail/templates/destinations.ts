import type { DisabledReason } from '../../../db/events/destinations.ts';
import type { MailContent } from '../mailer.ts';
import { dateTime, line, person, render, unlinked, withoutPhone } from './letter.ts';

const WHY = {
  failing: 'All deliveries have failed for three days.',
  gone: 'The receiver answered with the status 410 (gone).',
} satisfies Record<DisabledReason, string>;

/** Notice to the owners and admins of an organization about a webhook or an integration that the service has switched off. */
export function destinationDisabled({
  name,
  org,
  noun,
  called,
  url,
  reason,
  since,
  at,
}: {
  name: string;
  noun: 'webhook' | 'integration';
  /** The name of an integration. */
  called: string | null;
  org: { name: string; slug: string };
  url: string;
  reason: DisabledReason;
  /** The first failure. */
  since: Date;
  at: Date;
}): MailContent {
  const facts: [string, string][] = [
    ['Organization', `${person(org.name)} (${withoutPhone(org.slug)})`],
    ...(called === null ? [] : [['Name', unlinked(called, 100)] satisfies [string, string]]),
    ['Address', unlinked(url, 254)],
    ['Reason', WHY[reason]],
    ['First failure', dateTime(since)],
    ['Switched off', dateTime(at)],
  ];
  // A subject has no invisible characters, so a name that mail programs might take for a link is replaced.
  const shown = person(org.name) === line(org.name, 60) ? person(org.name) : withoutPhone(org.slug);
  const content = render({
    subject: `${noun === 'webhook' ? 'A' : 'An'} ${noun} of the organization ${shown} was switched off`,
    name,
    intro: [`The service no longer sends events to ${noun === 'webhook' ? 'a' : 'an'} ${noun}:`],
    facts,
    closing: [
      `To switch it on again, repair the receiver, sign in and enable the ${noun}. Events that are still pending are sent then.`,
      `If the ${noun} is no longer needed, delete it.`,
    ],
  });
  return { ...content, facts };
}
