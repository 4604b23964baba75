/** The language of these texts: a BCP 47 tag. Numbers, dates and lists are formatted for it. */
export const TAG = 'en';

const numbers = new Intl.NumberFormat(TAG);
const rules = new Intl.PluralRules(TAG);

/** Such as "12,345". */
export const number = (count: number): string => numbers.format(count);

/** The texts for each grammatical number that the language has (CLDR plural categories). */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The form for `count`, with the number instead of `#`: "1 finding", "12,345 findings". */
export const plural = (count: number, forms: Forms): string =>
  (forms[rules.select(count)] ?? forms.other).replace('#', () => number(count));
