import type { ReactNode } from 'react';

export const signInBy = (name: string) => `Sign in with ${name}`;
export const singleSignOn = 'Single sign-on';
export const enterAddressFirst = 'Enter your e-mail address first. Its domain leads to your provider.';
export const notSignedIn = 'You were not signed in';
export const reasons: Record<string, string> = {
  expired: 'The sign-in took too long, or was started in another browser or tab. Try again.',
  denied: 'The provider refused the sign-in, or it was cancelled.',
  invalid: 'The answer of the provider is not valid. Tell the owner of your organization.',
  disabled: 'Your account is disabled. Ask the operator of this service.',
  closed: 'Nobody can register here. Ask the operator of this service.',
  no_email: 'The provider sent no e-mail address. Tell the owner of your organization.',
  unreachable: 'The provider cannot be reached at the moment. Try again later.',
  link: 'An account with your address exists. Sign in to it here, then connect the provider in your profile, on the page MFA. If you are not a member of the organization yet, ask an owner to invite you.',
  other_address:
    'The provider named an address that your account does not have, or that is not verified. Add it to your e-mail addresses first.',
  linked: 'That account at the provider is connected already.',
  other_account: 'You are signed in to another account in this browser. Sign out first, then sign in again.',
  no_role: 'The provider gives you no access to this organization. Ask an owner.',
  groups_overage:
    'You are in more than 200 groups, so the provider left them out. Tell the owner of your organization.',
  not_found: 'No single sign-on is set up for this address or organization.',
};
export const unknownReason = 'Try again.';

export const whatItDoes =
  'People sign in by your OpenID Connect provider, such as Keycloak, Entra ID or Okta. They become members at the first sign-in, with a role by their groups.';
export const noConnections = 'No connections yet';
export const addConnection = 'Add connection';
export const editConnection = 'Edit connection';
export const connectionSaved = (name: string) => `“${name}” was saved.`;
export const name = 'Name';
export const issuer = 'Issuer';
export const issuerHint =
  'The address that the provider gives, such as https://login.example.com/realms/acme.';
export const clientId = 'Client ID';
export const clientSecret = 'Client secret';
export const keepSecret = 'Leave it empty to keep the present one.';
export const groupsClaim = 'Claim with the groups';
export const domains = 'Domains of addresses';
export const domainsHint = 'Separated by commas. They count once they are proven below.';
export const defaultRole = 'Role of people with a proven domain and no mapped group';
export const noAccess = 'No access';
export const roles = { viewer: 'Viewer', member: 'Member', admin: 'Admin' };
export const accessOfJoining = 'Access of people who join';
export const accessOfJoiningHint =
  'Applies to new members, also provisioned ones. With “Only assigned projects”, they see nothing until an admin assigns a project.';
export const projectAccess = { all: 'All projects', assigned: 'Only assigned projects' };
export const mapping = 'Roles by group';
export const mappingHint =
  'One line for each group: security = member. Roles: viewer, member, admin. Groups received by provisioning count too: spell their names exactly as the list “Groups received” shows them.';
export const mappingWrong = (line: string) =>
  `“${line}” is not a group and a role, such as security = member.`;
export const enabled = 'On';
export const enabledHint =
  'When it is off, nobody signs in by it and its sessions end. Roles of provisioned members still follow its groups.';
export const requireSso = 'Require single sign-on';
export const requireHint =
  'Other sign-ins get no access. The present owners are exempt (break glass) until they end that themselves.';
export const trustMfa = 'Trust the second factor of the provider';
export const save = 'Save';
export const edit = 'Edit';
export const test = 'Test';
export const remove = 'Delete';
export const isOff = 'Off';
export const isRequired = 'Required';
export const redirectUri = 'Redirect URI for the provider';
export const askDelete = (shown: ReactNode) => <>Delete the connection “{shown}”?</>;
export const whatDeleteDoes =
  'Its sessions end. Members stay. Roles of provisioned members follow the remaining mappings at once; without any mapping, and for all other members, roles stay.';
export const deleted = 'The connection was deleted.';

export const ownDomains = 'Domains';
export const whatDomainsDo =
  'A proven domain lets the connection sign in existing accounts with its addresses, and provisioning add members with them. Prove it by a DNS record.';
export const domain = 'Domain';
export const addDomain = 'Add domain';
export const verify = 'Verify';
export const proven = 'Proven';
export const notProven = 'Not proven';
export const txtRecord = (record: ReactNode) => <>TXT record of {record}</>;
export const domainProven = (shown: string) => `${shown} is proven.`;
export const removeDomain = 'Remove';
export const askRemoveDomain = (shown: ReactNode) => <>Remove the domain {shown}?</>;
export const whatRemovalDoes =
  'Accounts that were connected by it stay connected, and members stay. Provisioning adds no more members with its addresses.';
export const domainRemoved = 'The domain was removed.';

export const testTitle = 'Test of single sign-on';
export const nobodySignedIn = 'Nobody was signed in. This is what the provider sent.';
export const resultRole = 'Role';
export const resultAddress = 'E-mail address';
export const resultGroups = 'Groups';
export const resultMfa = 'Several factors';
export const yes = 'Yes';
export const no = 'No';
export const none = 'None';
export const claims = 'Claims';

export const identities = 'Accounts at providers';
export const whatIdentitiesDo = 'They sign in to your account by single sign-on.';
export const notConnected = 'The account was not connected';
export const askConnect = (shown: ReactNode) => <>Connect {shown}?</>;
export const whatConnectingDoes = (issuer: ReactNode) => (
  <>
    You sign in at {issuer}, with an address of your account. Whoever runs that provider can then sign in as
    you.
  </>
);
export const connect = 'Connect';
export const disconnect = 'Disconnect';
export const askDisconnect = (shown: ReactNode) => <>Disconnect {shown}?</>;
export const noLongerSignsIn = 'It no longer signs you in.';
export const disconnected = 'The account was disconnected.';
