import { type ChatFinding, type ChatMessage, moreText, OPEN_SCAN } from './message.ts';

const run = (text: string) => ({ type: 'TextRun', text });
const bold = (text: string) => ({ ...run(text), weight: 'Bolder' });
const lineOf = (inlines: object[], spacing = 'Small') => ({ type: 'RichTextBlock', spacing, inlines });

const findingOf = ({ severity, title, place, url, isRegressed }: ChatFinding) =>
  lineOf([
    bold(severity),
    run(isRegressed ? ' (regressed) ' : ' '),
    { ...run(title), selectAction: { type: 'Action.OpenUrl', url } },
    ...(place === undefined ? [] : [run(` ${place}`)]),
  ]);

/**
 * The body of a request to a workflow of Microsoft Teams: an Adaptive Card. Texts of users are in `TextRun`s, which have no Markdown
 * ("Text features" in Microsoft's Adaptive Cards documentation); only entities of a card mention somebody. A message has at most 28 KB
 * ("Create incoming webhooks" in the documentation of Teams), and this one less than 8 KB.
 */
export const teamsBody = (message: ChatMessage): object => {
  const { headline, facts, findings, more, url } = message;
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            { type: 'TextBlock', text: headline, size: 'Medium', weight: 'Bolder', wrap: true },
            ...facts.map(([label, value]) => lineOf([bold(`${label}: `), run(value)], 'None')),
            ...findings.map(findingOf),
            ...(more > 0 ? [lineOf([run(moreText(message))])] : []),
          ],
          actions: url === undefined ? [] : [{ type: 'Action.OpenUrl', title: OPEN_SCAN, url }],
        },
      },
    ],
  };
};
