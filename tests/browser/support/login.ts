import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { PASSWORD, type TestUser } from '../../support/api/client.ts';
import type { Site } from './site.ts';

export const emailField = (page: Page) => page.getByLabel('E-mail address', { exact: true });
export const passwordField = (page: Page) => page.getByLabel('Password', { exact: true });

/** Waits for a page by its heading. */
export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Fills the login page in, and sends it. */
export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await emailField(page).fill(email);
  await passwordField(page).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Lets it be an hour ago that somebody signed in or stepped up. */
export async function age({ databaseUrl }: Pick<Site, 'databaseUrl'>, { id }: TestUser): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 });
  await sql`
    update shared.sessions set created_at = now() - interval '1 hour', stepped_up_at = null where user_id = ${id}`;
  await sql.end();
}
