import type { ReactNode } from 'react';
import { number, plural } from '../language.ts';

export const days = (count: number) => plural(count, { one: '# day', other: '# days' });
export const oneYear = '1 year';
export const never = 'Never';
export const custom = 'Custom';
export const newTokenFor = (project: ReactNode) => <>New token for {project}</>;
export const newOrgWideToken = 'New org-wide token';
export const yourNewToken = 'Your new token';
export const name = 'Name';
export const whereUsed = 'Where the token is used.';
export const exampleOfName = 'ci';
export const enterName = 'Enter a name, for example where the token is used';
export const expiresAfter = 'Expires after';
export const customDays = 'Days';
export const enterDays = (max: number) => `Enter a whole number from 1 to ${number(max)}`;
export const validUntil = (day: string) => `Valid until ${day}.`;
export const validUntilRevoked = 'Valid until revoked.';
export const cancel = 'Cancel';
export const createToken = 'Create token';
export const tokenShownOnce =
  'The token is shown only once. Store it as a secret, for example in your CI. Do not save it in files or send it in chats.';
export const tokenSaved = 'I have saved the token';
export const token = 'Token';
export const copyToken = 'Copy the token';
export const shellCommand = 'Shell command';
export const copyCommand = 'Copy the command';
