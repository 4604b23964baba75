import type { ReactNode } from 'react';
import { plural } from '../language.ts';

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
export const validUntil = (day: string) => `Valid until ${day}.`;
export const validUntilRevoked = 'Valid until revoked.';
export const createToken = 'Create token';
