import { plural } from './language.ts';

export const yourOrganizations = 'Your organizations';
export const eachHasItsOwn = 'Each has its own projects, findings and members.';
export const findOrganization = 'Find an organization';
export const nameOrSlug = 'Name or slug';
export const notAMember = 'You are not a member of any organization';
export const createOrAsk = 'Create an organization, or ask an admin to invite you.';
export const organizations = (count: number) =>
  plural(count, { one: '# organization', other: '# organizations' });
export const shownOf = (shown: number, all: number) => `${shown} of ${all}`;
export const lastUsed = 'Last used';
export const notAvailableHere = 'Not available at this address. Open it at the main address of the service.';

export const deletedOrganizations = 'Deleted organizations';
export const restorable = 'Nobody can use them. You can restore them until they are removed for good.';
export const removedOn = (time: string) => `Will be removed for good on ${time}`;
export const restore = 'Restore';
export const restoreThis = (name: string) => `Restore ${name}`;
export const restored = (name: string) => `“${name}” was restored.`;

export const newOrganization = 'New organization';
export const forATeam = 'For a team or a company. You become its owner and can invite others.';
export const name = 'Name';
export const enterName = 'Enter a name';
export const slug = 'Slug';
export const whatSlugIs =
  'Identifies the organization in addresses: 3 to 50 lowercase letters, digits and hyphens. Owners can change it later.';
export const slugTaken = 'Another organization uses this slug. Choose another one.';
export const slugReserved = 'This slug is reserved. Choose another one.';
export const address = 'Address';
export const cancel = 'Cancel';
export const createOrganization = 'Create organization';
