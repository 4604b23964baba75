export const provisioning = 'Provisioning (SCIM)';
export const description =
  'Your provider, such as Entra ID or Okta, adds members, gives roles by groups and deactivates people who leave.';
export const baseUrl = 'Base URL for the provider';
export const create = 'Create token';
export const replace = 'Replace token';
export const remove = 'Remove token';
export const tokenOf = (prefix: string) => `Token ${prefix}…`;
export const createdAt = 'Created';
export const lastUsed = 'Last used';
export const neverUsed = 'Not used yet';
export const newToken = 'Token for provisioning';
export const copyNow = 'Copy the token now and enter it at the provider. It is shown only once.';
export const isStored = 'I have stored the token';
export const askReplace = 'Replace the token?';
export const replacing = 'The present token stops working at once. Enter the new one at the provider.';
export const askRemove = 'Remove the token?';
export const removing =
  'The provider can no longer change members. Members and roles stay, and deactivated members stay deactivated.';
export const removed = 'The token was removed.';
