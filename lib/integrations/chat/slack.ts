import { type ChatFinding, type ChatMessage, moreText, OPEN_SCAN } from './message.ts';

/** The characters that Slack interprets in `text` ("Formatting message text", Escaping text). */
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '');

const plain = (text: string) => ({ type: 'text', text });
const bold = (text: string) => ({ type: 'text', text, style: { bold: true } });
const link = (url: string, text: string) => ({ type: 'link', url, text });
const section = (elements: object[]) => ({ type: 'rich_text_section', elements });

const findingOf = ({ severity, title, place, url, isRegressed }: ChatFinding) =>
  section([
    bold(severity),
    plain(isRegressed ? ' (regressed) ' : ' '),
    link(url, title),
    ...(place === undefined ? [] : [plain(` ${place}`)]),
  ]);

const factOf = ([label, value]: ChatMessage['facts'][number], i: number) => [
  bold(`${i === 0 ? '' : '\n'}${label}: `),
  plain(value),
];

/**
 * The body of a request to an incoming webhook of Slack. Texts of users are elements of a rich text block, in which nothing is markup, a
 * mention or a link ("Rich text block" in Slack's Block Kit reference). A header has at most 150 characters ("Header block"). `text` is
 * for notifications.
 */
export function slackBody(message: ChatMessage): object {
  const { headline, facts, findings, more, url } = message;
  const project = facts[0]?.[1];
  const end = [
    ...(more > 0 ? [plain(`${moreText(message)}\n`)] : []),
    ...(url === undefined ? [] : [link(url, OPEN_SCAN)]),
  ];
  return {
    text: escaped(project === undefined ? headline : `${headline} (${project})`),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headline, emoji: false } },
      {
        type: 'rich_text',
        elements: [
          section(facts.flatMap(factOf)),
          ...(findings.length === 0
            ? []
            : [{ type: 'rich_text_list', style: 'bullet', elements: findings.map(findingOf) }]),
          ...(end.length === 0 ? [] : [section(end)]),
        ],
      },
    ],
    ...{ unfurl_links: false, unfurl_media: false },
  };
}
