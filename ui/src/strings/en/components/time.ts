import { number, plural } from '../language.ts';

export const justNow = 'just now';

export const seconds = (s: number) => `${number(s)} s`;
export const minutes = (min: number) => `${number(min)} min`;
export const minutesAndSeconds = (min: number, s: number) => `${number(min)} min ${number(s)} s`;
export const hours = (h: number) => `${number(h)} h`;
export const hoursAndMinutes = (h: number, min: number) => `${number(h)} h ${number(min)} min`;
export const days = (count: number) => plural(count, { one: '# day', other: '# days' });
