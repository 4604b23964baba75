import type { ReactNode } from 'react';
import { number } from './language.ts';

type Link = (label: string) => ReactNode;

export const apiTokens = 'API tokens';
export const whatTokensAreFor =
  'Agents, CI jobs and scripts use these tokens: org-wide tokens and the tokens of all projects.';
export const whoSeesAll = (roles: string) => `Only ${roles} can see all tokens`;
export const chooseProject = (projects: Link) => (
  <>Each project has a page with its tokens. {projects('Choose a project')}.</>
);
export const newOrgWideToken = 'New org-wide token';
export const orgWideOff = 'Org-wide tokens are turned off';
export const orgWideUnavailable =
  'They are not available to this organization. The administrator of this service can change this.';
export const turnOnOrgWide = (settings: Link) => (
  <>To create one, turn on “Org-wide API tokens” in {settings('Settings')}.</>
);
export const askOwner = (settings: Link) => (
  <>Ask an owner to turn on “Org-wide API tokens” in {settings('Settings')}.</>
);
export const createForProject = (projects: Link) => (
  <>
    Create tokens for a project on the {projects("project's page")}. Existing org-wide tokens keep working
    until they are revoked.
  </>
);

export const showEnded = (count: number) => `Show expired and revoked (${number(count)})`;
export const noTokens = 'No active tokens';
export const whoUsesTokens = 'svc-agent and your own scanners use a token to send findings.';
export const name = 'Name';
export const project = 'Project';
export const allProjects = 'All projects';
export const state = 'State';
export const active = 'Active';
export const expired = 'Expired';
export const revoked = 'Revoked';
export const expiresSoon = 'Expires soon';
export const created = 'Created';
export const lastUsed = 'Last used';
export const expires = 'Expires';
export const actions = 'Actions';
export const never = 'Never';
export const createdAt = (time: ReactNode, creator: ReactNode) => (
  <>
    Created {time} {creator}
  </>
);
export const lastUsedAt = (time: ReactNode) => <>Last used: {time}</>;
export const expiresAt = (time: ReactNode) => <>Expires: {time}</>;
export const createdBy = (member: ReactNode) => <>by {member}</>;
export const createdByUnknown = (isLimited: boolean) =>
  isLimited ? 'by a member you cannot see' : 'by a former member';

export const revoke = 'Revoke';
export const revokeAnyway = 'Revoke anyway';
export const revokeName = (token: string) => `Revoke ${token}`;
export const askRevoke = (token: ReactNode) => <>Revoke “{token}”?</>;
export const notYours = 'You did not create this token';
export const askCreator = (member: ReactNode) => (
  <>{member} created it. Ask them first: agents that use it can no longer send findings.</>
);
export const unknownCreator = (isLimited: boolean) =>
  `${isLimited ? 'A member you cannot see' : 'A former member'} created it. Agents that use it can no longer send findings.`;
export const consequences = (prefix: ReactNode) => (
  <>Requests with {prefix} are rejected immediately. This cannot be undone.</>
);
export const ciSystem = 'CI system without a key';
export const whatRevokingCiDoes =
  'Jobs of this CI system can no longer send findings. This cannot be undone, but you can add it again.';
export const wasLastUsed = (time: ReactNode) => <>Last used {time}.</>;
export const neverUsed = 'Never used.';
export const wasRevoked = (token: string) => `“${token}” was revoked.`;
