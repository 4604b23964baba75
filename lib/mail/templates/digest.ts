import type { MailContent } from '../mailer.ts';
import { render } from './letter.ts';
import { CHOSEN, type ChosenLinks, unsubscribeParts } from './notifications.ts';

/** A notice about findings, for a mail that collects several. Texts from users are cut and have no links. */
export interface DigestNotice extends ChosenLinks {
  /** `now`: the limit of mails was reached. */
  time: 'now' | 'daily' | 'weekly';
  /** The name of the recipient. */
  name: string;
  /** The organization and the project. */
  group: string;
  text: string;
  /** The page in the web UI. */
  url: string;
}

/** The notices of one mail. */
export interface Digest extends Omit<DigestNotice, 'group' | 'text' | 'url'> {
  count: number;
  /** The first ones. */
  notices: Pick<DigestNotice, 'group' | 'text' | 'url'>[];
}

/** The others are counted. */
const MOST_LISTED = 100;

export function addToDigest(all: Digest | undefined, { group, text, url, ...of }: DigestNotice): Digest {
  const { count = 0, notices = [] } = all ?? {};
  return {
    ...of,
    count: count + 1,
    notices: count < MOST_LISTED ? [...notices, { group, text, url }] : notices,
  };
}

const INTRO = {
  now: 'The limit of mails per hour was reached, so this mail has the notices after the last mail:',
  daily: 'This happened since the last daily mail:',
  weekly: 'This happened since the last weekly mail:',
};

const SUBJECT = { now: 'Further notices', daily: 'Daily summary', weekly: 'Weekly summary' };

/** The notices by organization and project, in the order of their names; in a group in the order in which they came. */
export function renderDigest({ time, name, count, notices, ...links }: Digest): MailContent {
  const sorted = notices.toSorted((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : 0));
  return render({
    subject: `${SUBJECT[time]}: ${count === 1 ? '1 notice' : `${count} notices`} about findings`,
    name,
    intro: [INTRO[time]],
    facts: sorted.map(({ group, text, url }) => [group, text, url]),
    closing: [...(count > notices.length ? [`${count - notices.length} more are not listed.`] : []), CHOSEN],
    ...unsubscribeParts(links),
  });
}
