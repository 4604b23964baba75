import type { Page } from 'playwright-core';

/** A picture in the documentation: `docs/images/<name>.png`. */
export interface Picture {
  name: string;
  /** The page to open, below the address of the organization. */
  path: string;
  colorScheme: 'light' | 'dark';
  /** The first person of the demo organization with this role is signed in. */
  role: 'owner' | 'member';
  /** The size of the window; {@link SIZE} by default. */
  size?: { width: number; height: number };
  /** Makes the page show what the picture is about, and waits until it does. */
  prepare(page: Page): Promise<void>;
}

export const SIZE = { width: 1440, height: 900 };

const rowAt = (page: Page, index: number) => page.locator(`[role=row][data-index="${index}"]`);
const firstRow = (page: Page) => rowAt(page, 0).filter({ hasText: 'Critical' });

export const PICTURES: readonly Picture[] = [
  {
    name: 'dashboard',
    path: '/?days=30',
    colorScheme: 'light',
    role: 'owner',
    async prepare(page) {
      await page.getByRole('link', { name: 'Payments' }).waitFor();
      await page.getByText(/found, .* resolved/).waitFor();
    },
  },
  {
    name: 'findings',
    path: '/findings',
    colorScheme: 'dark',
    role: 'member',
    size: { width: 1440, height: 840 },
    async prepare(page) {
      await firstRow(page).waitFor();
      const query = page.getByRole('combobox', { name: 'Search or filter findings' });
      await query.fill('severity:critical,high project:storefront');
      await query.press('Enter');
      await page.getByRole('button', { name: 'Project: Storefront' }).waitFor();
      for (const index of [0, 1, 2, 3])
        await rowAt(page, index).filter({ hasText: 'Storefront' }).getByRole('checkbox').click();
      await page.getByText('4 selected').waitFor();
    },
  },
  {
    name: 'finding',
    path: '/findings?attention=true&severity=critical&source=osv-scanner&sort=-priority',
    colorScheme: 'light',
    role: 'member',
    async prepare(page) {
      await page.getByRole('row').getByRole('link', { name: 'Spring4Shell' }).click();
      await page.getByText('Same CVE').waitFor();
      await page.locator('summary', { hasText: 'Metrics' }).click();
      await page.getByText('Attack vector').waitFor();
    },
  },
  {
    name: 'scan',
    path: '/scans?status=completed',
    colorScheme: 'dark',
    role: 'member',
    async prepare(page) {
      const scan = page.getByRole('row', { name: 'Payments' }).getByRole('link', { name: 'Audit #8' });
      await scan.click();
      await page.getByText('only in the other scan').waitFor();
      await page.getByRole('link', { name: /^\d+ regressed$/ }).waitFor();
    },
  },
  {
    name: 'preview',
    path: '/findings',
    colorScheme: 'light',
    role: 'member',
    size: { width: 1440, height: 810 },
    async prepare(page) {
      await firstRow(page).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Space');
      await page.getByRole('complementary', { name: 'Preview' }).getByText('How to fix').waitFor();
    },
  },
  {
    name: 'groups',
    path: '/findings?attention=true&severity=critical&status=open,confirmed&sort=-priority&group_by=rule',
    colorScheme: 'light',
    role: 'member',
    size: { width: 1440, height: 669 },
    async prepare(page) {
      await page.getByRole('button', { name: /CVE-2021-42392/, expanded: false }).click();
      await page
        .getByRole('link', { name: /CVE-2021-42392/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'rule',
    path: '/rules/new',
    colorScheme: 'light',
    role: 'owner',
    size: { width: 1280, height: 1330 },
    async prepare(page) {
      const choose = async (field: string, option: string) => {
        await page.getByRole('combobox', { name: field }).click();
        await page.getByRole('option', { name: option }).click();
      };
      await page.getByRole('textbox', { name: 'Name' }).fill('Notebooks are not deployed');
      await page.getByRole('combobox', { name: 'File', exact: true }).fill('notebooks/**');
      await page.keyboard.press('Enter');
      await choose('Status', 'False positive');
      await choose('Reason', 'Not exploitable');
      await page.getByText('would be changed now').waitFor();
    },
  },
];
