import { plural } from '../language.ts';

export const tab = 'Your data';
export const title = 'Your data';
export const what =
  'The data that the service stores about you: your account, sessions and tokens, and your decisions, comments and assignments in your organizations.';
export const download = 'Download my data';
export const downloadWhat = 'A JSON file without passwords, tokens and codes.';
export const downloaded = 'Your data was downloaded.';
export const fileName = (date: string) => `account-${date}.json`;

export const deleteAccount = 'Delete account';
export const deleteAccountAsk = 'Delete account…';
export const deleteThisAccount = 'Delete your account?';
export const accountIsGone =
  'You are signed out everywhere, and your personal access tokens stop working. Your name, addresses, sessions, assignments and private views are deleted. Your decisions and comments stay in their organizations as those of a deleted user. This cannot be undone.';

export const onlyOwner = (count: number) =>
  plural(count, {
    one: 'You are the only owner of an organization',
    other: 'You are the only owner of # organizations',
  });
export const makeAnotherOwner = (count: number) =>
  plural(count, {
    one: 'Make another member an owner of this organization, or delete it, first. Then delete your account.',
    other:
      'Make another member an owner of each of these organizations, or delete them, first. Then delete your account.',
  });
export const membersOf = (organization: string) => `Members of ${organization}`;
