import { type SQL, sql } from 'drizzle-orm';
import { users } from '../../db/schema/accounts.ts';
import { identities } from '../../db/schema/identities.ts';

/** Whether somebody can sign in to an account: it has a password, or an account at a provider. */
export const hasSignIn: SQL<boolean> = sql`(${users.passwordHash} is not null
  or exists (select from ${identities} where ${identities.userId} = ${users.id}))`;
