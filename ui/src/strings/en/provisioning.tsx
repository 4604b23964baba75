import type { ReactNode } from 'react';

export const provisioning = 'Provisioning (SCIM)';
export const description =
  'Your identity provider, such as Entra ID or Okta, adds members, gives roles by groups and deactivates people who leave. New members need an address of a proven domain.';

export const baseUrl = 'Base URL';
export const whereToEnterBaseUrl =
  'Enter it at the identity provider: “Tenant URL” in Entra ID, “SCIM connector base URL” in Okta.';
export const copyBaseUrl = 'Copy base URL';

export const scimToken = 'SCIM token';
export const noToken = 'No token: the identity provider cannot change members.';
export const whatTokenDoes =
  'The token adds and removes members and gives roles up to admin. It works from all networks and does not expire. All owners get a mail when you create, replace or remove it.';
export const create = 'Create token';
export const replace = 'Replace token';
export const remove = 'Remove token';
export const tokenOf = (prefix: string) => `${prefix}…`;
export const createdAt = (time: ReactNode) => <>Created {time}</>;
export const createdBy = (time: ReactNode, member: ReactNode) => (
  <>
    Created {time} by {member}
  </>
);
export const createdByFormer = (time: ReactNode) => (
  <>Created {time} by a former member. Replace the token so that this person no longer has one that works.</>
);
export const lastUsed = (time: ReactNode) => <>Last used {time}</>;
export const neverUsed = 'Not used yet';

export const newToken = 'New SCIM token';
export const copyNow = 'Copy the token now and enter it at the identity provider. It is shown only once.';
export const copyToken = 'Copy token';
export const isStored = 'I have stored the token';
export const askReplace = 'Replace the token?';
export const pauseFirst =
  'Pause provisioning at the identity provider first. The present token stops working at once.';
export const thenResume =
  'Then enter the new token there, test the connection and resume. If you do not pause, deactivations sent in between arrive with the next cycle only.';
export const askRemove = 'Remove the token?';
export const removing =
  'The identity provider can no longer add, change or deactivate members. Members, roles and groups stay, and deactivated members stay deactivated.';
export const removed = 'The token was removed.';

export const groupsReceived = 'Groups received';
export const noGroups = 'None yet. Assign or push groups at the identity provider.';
export const howToMap =
  'To give the members of a group a role, enter its name in a connection, under “Roles by group”.';
export const group = 'Group';
export const members = 'Members';
export const role = 'Role';
export const notMapped = 'No role: not mapped';
