import { number, plural } from './language.ts';

export const settings = 'Settings';
export const whatSettingsApplyTo = 'Settings that apply to the whole organization.';
export const general = 'General';
export const security = 'Security';
export const auditLog = 'Audit log';
export const on = 'On';
export const off = 'Off';
export const notAvailable = 'Not available';
export const takesEffectAtOnce = 'The switch takes effect immediately, without Save.';
export const isOn = (setting: string) => `“${setting}” is on.`;
export const isOff = (setting: string) => `“${setting}” is off.`;
export const whoMayChange = (roles: string) => `Only ${roles} can change this.`;

export const orgWideTokens = 'Org-wide API tokens';
export const requireMfa = 'Require MFA';
export const apiName = 'API name:';
export const administratorFirst = 'The administrator of this service must make it available first.';
export const administratorFirstAlreadyOn =
  'The administrator of this service must make it available first. An owner has already turned it on.';

export const turnOffOrgWideTokens = 'Turn off org-wide API tokens?';
export const existingTokensWork =
  'Nobody can create new org-wide tokens. Existing tokens keep working until you revoke them on the API tokens page.';
export const turnOff = 'Turn off';
export const requireMfaOfAll = 'Require MFA for every member?';
export const requireMfaAnyway = 'Require MFA anyway';
export const membersLoseAccess =
  'Members without multi-factor authentication lose access until they set it up. Agents and their tokens keep working.';
export const youLoseAccess = 'You would lose access as well';
export const noOwnMfa = 'Your own account has no MFA. Set it up first. You return to this page afterwards.';
export const setUpMfa = 'Set up MFA';

export const verifyWithViewersTokens = 'Let tokens of viewers verify fixes';
export const whoVerifies =
  'Agents set a finding to verified when a scan confirms its fix. If this is off, tokens created by viewers and former members cannot do so.';

export const tokenRules = 'API tokens';
export const creatorsOfProjectTokens = 'Members who may create tokens of projects';
export const creators = {
  any_member: 'Every member, also viewers',
  members: 'Members, admins and owners',
  admins: 'Admins and owners',
};
export const tokensOnRoleLoss = 'Tokens of members who get a lower role or leave';
export const onRoleLoss = {
  limit: 'Limit them to the present role',
  revoke: 'Revoke them',
  keep: 'Keep them as they are',
};
export const whatLimitDoes =
  'With a limit, pipelines still send findings. Tokens can read, triage and administer only what their creator still may.';
export const longestLifetime = 'Longest lifetime of tokens that do more than send findings';
export const shortensExisting = 'Existing tokens end after as many days from now at the latest.';
export const noLimit = 'No limit';
export const days = (count: number) => plural(count, { one: '# day', other: '# days' });
export const whatTokenRulesDo = 'Who creates API tokens, how long they work, and what ends them.';
export const ruleIs = (rule: string, value: string) => `${rule}: ${value}`;
export const tokenRulesChanged = 'The rules for API tokens were changed.';
export const ownersChangeTokenRules = 'Only owners can change this.';

export const access = 'Access';
export const whatAccessDoes =
  'From where members and tokens reach the organization, and how long a sign-in is enough.';
export const allowedNetworks = 'Allowed networks';
export const everywhere = 'All networks';
export const networksHelp =
  'Addresses or CIDR blocks, such as 203.0.113.0/24. Your own address has to be in one of them. They apply to agents, too.';
export const idleLimit = 'Ask for the password after a pause of';
export const ageLimit = 'Ask for the password again';
export const never = 'Never, while the session lasts';
export const minutes = (count: number) => plural(count, { one: '# minute', other: '# minutes' });
export const everyHours = (count: number) => plural(count, { one: 'Every hour', other: 'Every # hours' });
export const accessChanged = 'The rules for access were changed.';

export const nameIsShown = 'Shown to members and in invitations.';
export const slugIsAddress =
  'Identifies the organization in addresses. Agents and links with the former slug keep working, and no other organization can have it.';
export const slugTaken = 'Another organization uses or used this slug. Choose another one.';
export const slugReserved = 'This slug is reserved. Choose another one.';

export const storage = 'Storage';
export const storageIsLimited =
  'When the organization reaches a limit, agents cannot add findings. Delete findings, scans or projects, or keep them for a shorter time.';
export const bytesUsed = (used: string, max: string) => `${used} of ${max}`;
export const rowsUsed = (used: number, max: number) =>
  `${number(used)} of ${number(max)} findings, scans, exploits and activity entries`;
