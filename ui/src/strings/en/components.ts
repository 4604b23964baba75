import { number, plural, TAG } from './language.ts';

export const copy = 'Copy';
export const copied = 'Copied';
export const copyBlocked = 'The browser blocked copying';
export const copyManually = 'Select the text and copy it manually.';
export const loading = 'Loading';
export const printReport = 'Print report';
export const showMore = (count: number) => `Show ${number(count)} more`;
export const showFewer = 'Show fewer';
export const done = 'Done';
export const cancel = 'Cancel';

const sizes = new Intl.NumberFormat(TAG, { maximumFractionDigits: 1, useGrouping: false });
export const bytes = (count: number) => plural(count, { one: '# byte', other: '# bytes' });
export const sizeIn = (unit: string, size: number) => `${sizes.format(size)} ${unit}`;
export const pages = { first: 'First page', previous: 'Previous page', next: 'Next page', last: 'Last page' };
export const pageNumber = (page: number) => `Page ${number(page)}`;
