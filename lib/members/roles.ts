/** Only an owner invites or removes an owner, makes a member an owner or changes the role of an owner. */
export const mayManageRole = (own: string, role: string): boolean => own === 'owner' || role !== 'owner';
