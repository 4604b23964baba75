import type { Page } from 'playwright-core';
import { PASSWORD } from '../../support/api/client.ts';

export const emailField = (page: Page) => page.getByLabel('E-mail address', { exact: true });
export const passwordField = (page: Page) => page.getByLabel('Password', { exact: true });

/** Waits for a page by its heading. */
export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Fills the login page in, and sends it. */
export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await emailField(page).fill(email);
  await passwordField(page).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
