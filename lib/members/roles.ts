/** Only an owner invites or removes an owner, makes a member an owner or changes the role of an owner. */
export const mayManageRole = (own: string, role: string): boolean => own === 'owner' || role !== 'owner';

/** Roles that control an organization: giving or taking one needs a step-up, and all owners get a mail. */
export const isControlling = (role: string | undefined): boolean => role === 'owner' || role === 'admin';

/** The least role that may create tokens of a project, by the setting of the organization. */
export const LEAST_TOKEN_CREATOR = { any_member: 'viewer', members: 'member', admins: 'admin' } as const;
