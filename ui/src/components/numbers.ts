import { number } from '#strings/language.ts';

export { number };

/** Such as "1 finding" and "12,345 findings". */
export const counted = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
