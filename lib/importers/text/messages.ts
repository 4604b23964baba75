const MAX_LISTED = 10;
const MAX_MESSAGE = 500;

export const shorten = (text: string, max = MAX_MESSAGE): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

/** The first messages of a list, shortened, and how many more there are. */
export function firstMessages(messages: readonly string[], max = MAX_LISTED): string[] {
  const shown = messages.slice(0, max).map((message) => shorten(message));
  return messages.length > max ? [...shown, `${messages.length - max} more`] : shown;
}

/** The error message of a scan whose findings are incomplete. */
export const scanMessage = (errors: readonly string[]): string => firstMessages(errors).join('\n');
