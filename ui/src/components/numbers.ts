const numbers = new Intl.NumberFormat('en');

/** Such as "12,345". */
export const number = (count: number): string => numbers.format(count);

/** Such as "1 finding" and "12,345 findings". */
export const counted = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
