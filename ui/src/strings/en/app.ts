import { list } from './language.ts';

/** The title of the window: the page and the service. */
export const windowTitle = (page: string) => `${page} · svc-findings`;
export const close = 'Close';
export const noSuchOrg = (slug: string) =>
  `The organization “${slug}” does not exist, or you are not a member of it.`;
/** @param parameters such as `severty=high` */
export const unknownParameters = (parameters: readonly string[]) =>
  `Unknown filter in the address: ${list(parameters)}`;

const ROLES = { owner: 'owners', admin: 'admins', member: 'members', viewer: 'viewers' };
/** Such as "owners and admins", for sentences that tell who may do something. */
export const roles = (allowed: readonly (keyof typeof ROLES)[]) => list(allowed.map((role) => ROLES[role]));
