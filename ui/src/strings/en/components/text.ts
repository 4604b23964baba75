import { number } from '../language.ts';

export const copyText = (what: string) => `Copy ${what}`;
export const wrapLines = 'Wrap long lines';
export const doNotWrapLines = 'Do not wrap long lines';
export const showAllLines = (lines: number) => `Show all ${number(lines)} lines`;
export const plainText = 'text';
export const showAllKilobytes = (kilobytes: number) => `Show all (${number(kilobytes)} KB)`;
export const unformattedText = 'Unformatted text';
export const codeInDescription = 'code in the description';
export const table = 'Table';
export const taskDone = 'Done';
export const taskToDo = 'To do';
export const image = (description: string) => `Image: ${description}`;
export const withoutDescription = 'without a description';
