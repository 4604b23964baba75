/** The form of a project's slug. */
export const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])$/;
