import { type SQL, sql } from 'drizzle-orm';

/** Whether somebody can sign in to an account of a query: it has a password, or an account at a provider. */
export const hasSignIn: SQL<boolean> = sql`(shared.users.password_hash is not null
  or exists (select from shared.identities where shared.identities.user_id = shared.users.id))`;
