import { type SQL, sql } from 'drizzle-orm';
import { identities, users } from '../../db/schema/accounts.ts';

/** Whether somebody can sign in to an account: it has a password, or an account at a provider. */
export const hasSignIn: SQL<boolean> = sql`(${users.passwordHash} is not null
  or exists (select from ${identities} where ${identities.userId} = ${users.id}))`;
