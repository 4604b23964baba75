/** The language of these texts: a BCP 47 tag. Numbers, dates and lists are formatted for it. */
export const TAG = 'en';

/** The regional form of lists, and of dates without a year: "a, b and c", "22 Nov". */
export const REGION = 'en-GB';

const languageOf = (tag: string) => tag.split('-')[0];

// Node.js 20 has no navigator.
const { navigator } = globalThis as { navigator?: { languages?: readonly string[] } };
/** The locale of dates with a year: that of the browser if its language is this one, because the order differs by region. */
export const DATES = navigator?.languages?.find((tag) => languageOf(tag) === languageOf(TAG)) ?? TAG;

const numbers = new Intl.NumberFormat(TAG);
const lists = new Intl.ListFormat(REGION);
const rules = new Intl.PluralRules(TAG);

/** Such as "12,345". */
export const number = (count: number): string => numbers.format(count);

/** Such as "owners, admins and members". */
export const list = (items: readonly string[]): string => lists.format(items);

/** The texts for each grammatical number that the language has (CLDR plural categories). */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The form for `count`, with the number instead of `#`: "1 finding", "12,345 findings". */
export const plural = (count: number, forms: Forms): string =>
  (forms[rules.select(count)] ?? forms.other).replace('#', () => number(count));
