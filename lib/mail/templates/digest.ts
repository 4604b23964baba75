import type { DigestTime } from '../digests.ts';
import type { MailContent } from '../mailer.ts';
import { render } from './letter.ts';
import { CHOSEN, type ChosenLinks, unsubscribeParts } from './notifications.ts';

/** A line of a digest. */
export interface DigestLine {
  /** The organization and the project. */
  group: string;
  text: string;
  url: string;
}

const INTRO = {
  now: 'The limit of mails per hour was reached, so this mail has the notices after the last mail:',
  daily: 'This happened since the last daily mail:',
  weekly: 'This happened since the last weekly mail:',
};

const SUBJECT = { now: 'Further notices', daily: 'Daily summary', weekly: 'Weekly summary' };

/**
 * A digest of notices, by organization and project in the order of their names; in a group in the order in which they came.
 * @param hasMore further ones were left out
 */
export function digestMail(
  { time, name, lines, hasMore }: { time: DigestTime; name: string; lines: DigestLine[]; hasMore: boolean },
  links: ChosenLinks,
): MailContent {
  const sorted = lines.toSorted((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : 0));
  const number = lines.length === 1 ? '1 notice' : `${lines.length} notices`;
  return render({
    subject: `${SUBJECT[time]}: ${number} about findings`,
    name,
    intro: [INTRO[time]],
    facts: sorted.map(({ group, text, url }) => [group, text, url]),
    closing: [...(hasMore ? ['Further notices are not listed.'] : []), CHOSEN],
    ...unsubscribeParts(links),
  });
}
