import type { ReactNode } from 'react';
import { number, plural } from './language.ts';

export const activity = 'Activity';
export const activityOf = (name: string) => `Activity of ${name}`;
export const separator = ' · ';
export const members = 'Members';
export const whoHasAccess = 'People with access to this organization.';
export const whoReachesYourProjects = 'People who reach one of your projects.';
export const whoHasAccessAndInvites = (roles: string) =>
  `People with access to this organization. Only ${roles} can invite members.`;
export const member = 'Member';
export const role = 'Role';
export const actions = 'Actions';
export const you = '(you)';
export const pending = 'Pending';
export const deactivated = 'Deactivated';
export const whatDeactivatedIs =
  'The identity provider has taken all access to this organization. Role and assignments are kept';
export const notVerified = 'Not verified';

export const roleNames = { owner: 'Owner', admin: 'Admin', member: 'Member', viewer: 'Viewer' };
export const roleRights = {
  owner:
    'Everything an admin can do. Also turns features on and off, manages owners and deletes the organization.',
  admin:
    'Everything a member can do. Also invites and removes members, changes roles and manages all API tokens.',
  member: 'Everything a viewer can do. Also triages findings and creates projects.',
  viewer: 'Sees everything and manages the API tokens of projects.',
};
type Role = keyof typeof roleNames;

export const ownAddress = 'Your address is not verified';
export const openMailedLink = (email: ReactNode, request: (label: string) => ReactNode) => (
  <>
    Open the link that we mailed to {email}, or {request('request another link in your profile')}. Until then,
    other members see you as “Not verified”.
  </>
);
export const openLoggedLink = (email: ReactNode, request: (label: string) => ReactNode) => (
  <>
    No mail provider: the link that verifies {email} is in the server's log, or{' '}
    {request('request another link in your profile')}. Until then, other members see you as “Not verified”.
  </>
);
export const unverifiedMembers = (count: number) =>
  plural(count, {
    one: '# member has not verified their address',
    other: '# members have not verified their address',
  });
export const noAccessYet = 'They have no access until they do. “Resend invitation” mails them another link.';
export const accessUnverified =
  'They have access even if someone else registered the address. “Resend invitation” mails a link to the owner of the address. Remove members you do not know.';

export const invite = 'Invite';
export const inviteMember = 'Invite a member';
export const emailAddress = 'E-mail address';
export const weMailInvitation = 'We mail an invitation to this address.';
export const weLogInvitation =
  "No mail provider: the link of the invitation will be in the server's log. Send it yourself.";
export const invited = (email: ReactNode, role: Role) => (
  <>
    {email} was invited with the role “{roleNames[role]}”.
  </>
);
export const added = (email: ReactNode, role: Role) => (
  <>
    {email} is now a member with the role “{roleNames[role]}”.
  </>
);
export const invitationInLog =
  "No mail provider: the link of the invitation is in the server's log. Send it yourself.";
export const invitationMailed = 'We mailed an invitation.';
export const accessAfterVerification = 'They get access when they verify the address.';
export const mayLeave = 'They do not have to accept it and can leave at any time.';
export const addressNotVerified = 'This address is not verified yet';
export const riskOfAddress =
  'If someone else registered an account with this address, that person has access now. The list of members shows when the address is verified. If you are not sure, remove the member.';
export const inviteAnother = 'Invite another';
export const done = 'Done';

export const actionsFor = (name: string) => `Actions for ${name}`;
export const resendInvitation = 'Resend invitation';
export const invitationSent = (email: string) => `Invitation sent to ${email}.`;
export const invitationLogged = (email: string) =>
  `No mail provider: the new link for ${email} is in the server's log.`;
export const changeRole = 'Change role';
export const changeAccess = 'Project access…';
export const assignedProjects = 'Assigned projects';
export const whatAssignedProjectsAre = 'Reaches only the projects to which admins assign this member';
export const roleOf = (name: ReactNode) => <>Role of {name}</>;
const ROLES_IN_SENTENCE: Record<Role, string> = {
  owner: 'owner',
  admin: 'admin',
  member: 'member',
  viewer: 'viewer',
};
export const roleChanged = (name: string, role: Role) =>
  `The role of ${name} is now ${ROLES_IN_SENTENCE[role]}.`;
export const ownershipOffered = 'Asked to become owner';
export const ownerAsked = (name: string) => `We asked ${name} by mail. They are an admin until they accept.`;
export const withdrawOffer = 'Withdraw ownership offer';
export const offerWithdrawn = (name: string) => `${name} is no longer asked to become an owner.`;
export const exempt = 'Exempt from single sign-on';
export const endExemption = 'End exemption from single sign-on';
export const isExempt = (name: string) =>
  `${name} may sign in without single sign-on, although it is required.`;
export const exemptionEnded = 'You sign in by single sign-on from now on, if it is required.';
export const breakGlass = 'Break glass';
export const whatBreakGlassIs = 'May sign in without single sign-on, although it is required';
export const byGroup = 'By group';
export const whatByGroupIs = 'The identity provider gives this role, and takes it';
export const becomeOwner = 'Become an owner?';
export const becomeOwnerUntil = (until: string) =>
  `An owner asks you to become an owner of this organization too. Owners manage the other owners and can delete the organization. You can accept until ${until}.`;
export const acceptOwnership = 'Accept';
export const declineOwnership = 'Decline';
export const askedForOwnership =
  'They are an admin now, and an owner once they accept on this page. The offer ends after 7 days.';
export const notVerifiedYet = (email: ReactNode) => <>{email} has not been verified yet.</>;
export const ownRole = 'This is your own role. You cannot undo this change yourself.';
export const remove = 'Remove';
export const removeName = (name: ReactNode) => <>Remove {name}?</>;
export const losesAccess = (email: ReactNode, org: ReactNode) => (
  <>
    {email} loses access to {org} immediately. Statuses that they set are kept.
  </>
);
export const theirTokens = {
  keep: 'API tokens that they created keep working.',
  limit:
    'API tokens that send findings keep working. Others read and change only what the new role may, and nothing without a role.',
  revoke: 'API tokens that they created are revoked. Pipelines that use them stop.',
};
export const noTokens = 'They have created no API tokens that are active.';
export const createdTokens = (count: number) =>
  plural(count, {
    one: 'They have created # active API token:',
    other: 'They have created # active API tokens:',
  });
export const revokeTheirTokens = 'Revoke these tokens';
export const ownerMayReturn =
  'All owners get a mail. The link in the mail to this owner gives the role back for 72 hours.';
export const removed = (name: string) => `${name} was removed.`;

export const leave = 'Leave';
export const leaveOrganization = 'Leave organization';
export const leaveName = (org: ReactNode) => <>Leave {org}?</>;
export const youLoseAccess = 'You lose access immediately. To return, you need a new invitation.';
export const yourTokens =
  'API tokens that you created are kept, limited or revoked, as the owners have chosen.';
export const onlyOwner = 'You are the only owner. Make another member an owner before you leave.';
export const yourRole = (role: Role) => `Your role in this organization is ${ROLES_IN_SENTENCE[role]}.`;

export const mfa = 'MFA';
export const hasMfa = 'MFA on';
export const hasNoMfa = 'No MFA';
export const lastActive = 'Last active';
export const neverActive = 'No activity yet';
export const tokens = 'Tokens';
export const notOpened = 'Has not opened this organization yet';
export const tokensOf = (api: number, personal: number) => {
  if (api + personal === 0) return 'No tokens';
  const parts = [api > 0 && `${number(api)} API`, personal > 0 && `${number(personal)} personal`];
  return parts.filter((part) => part !== false).join(', ');
};
