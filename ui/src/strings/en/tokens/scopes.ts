import type { Schemas } from '../../../app/api.ts';

type Scope = Schemas['ApiToken']['scopes'][number];

export const scope = 'Purpose';
/** The purpose of a token with this scope, in a list to choose from. */
export const purposes: Record<Scope, string> = {
  ingest: 'Send findings (agents and CI jobs)',
  read: 'Read: list, search and export',
  triage: 'Read and triage: also change and comment findings',
  admin: 'Administer: also change projects, rules and due dates',
};
export const names: Record<Scope, string> = {
  ingest: 'Send findings',
  read: 'Read',
  triage: 'Triage',
  admin: 'Administer',
};
export const chooseLeast = 'Choose the least that is enough.';
export const noMembers = 'No token can change members, tokens or the settings of who has access.';

export const tokenShownOnce =
  'The token is shown only once. Store it as a secret. Do not save it in files or send it in chats.';
export const agentTokenShownOnce =
  'The token is shown only once. Store it as a secret, for example in your CI. Do not save it in files or send it in chats.';
export const tokenSaved = 'I have saved the token';
export const token = 'Token';
export const copyToken = 'Copy the token';
export const shellCommand = 'Shell command';
export const exportFindings = 'Export findings as CSV';
export const copyCommand = 'Copy the command';
