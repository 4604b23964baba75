import { type ChatMessage, moreText, OPEN_SCAN } from './message.ts';

/** A text in which nothing is markup, a mention or a link: code. Backticks, which would end it, become apostrophes. */
const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

/** The lines of a message below its headline. */
function linesOf(message: ChatMessage): string[] {
  const { facts, findings, more, url } = message;
  return [
    ...facts.map(([label, value]) => `**${label}:** ${code(value)}`),
    ...findings.map(({ severity, title, place, url, isRegressed }) =>
      [
        `- **${severity}**${isRegressed ? ' (regressed)' : ''} ${code(title)}`,
        ...(place === undefined ? [] : [code(place)]),
        `[Open](${url})`,
      ].join(' '),
    ),
    ...(more > 0 ? [moreText(message)] : []),
    ...(url === undefined ? [] : [`[${OPEN_SCAN}](${url})`]),
  ];
}

/** A message as Markdown. @param max characters: findings that do not fit are counted only */
export function markdownOf(message: ChatMessage, max: number): string {
  const text = linesOf(message).join('\n');
  const { findings, more } = message;
  if (text.length <= max || findings.length === 0) return text;
  return markdownOf({ ...message, findings: findings.slice(0, -1), more: more + 1 }, max);
}
