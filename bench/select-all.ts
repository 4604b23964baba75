import { chromium } from 'playwright-core';
import { findBrowser } from '../tests/browser/support/find-browser.ts';
import { createClient } from '../tests/support/api/client.ts';
import { counted, number } from '../ui/src/components/numbers.ts';
import { bench } from './support/rounds.ts';

const MAX_MS = 10 * 60_000;

/** A change of all findings of a list, and its undo, as a user makes them. */
export const selectAll = bench({
  summary:
    'in the web UI: select all findings of a list of --rows, set a status, undo; once; needs a Chromium',

  async run(scene, { rows }) {
    const executablePath = findBrowser();
    if (!executablePath) throw new Error('no Chromium was found; SVC_TEST_BROWSER names one');
    const server = await scene.server();
    const org = await scene.seed(server, { findings: rows, bytes: 1_000 });
    const api = createClient(fetch, server.url);
    const confirmed = async () =>
      (await api.get('/findings?status=confirmed&page=1&per_page=1', org.asOwner)).json.result_info
        .total as number;
    const before = await confirmed();
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      await context.addCookies([
        { name: 'svc_token', value: org.owner.cookie, url: server.url, httpOnly: true },
      ]);
      const page = await context.newPage();
      await page.goto(`${server.url}/o/${org.slug}/findings?sort=-created_at`);
      const timed = async (act: () => Promise<unknown>, done: string): Promise<number> => {
        const start = performance.now();
        await act();
        await page.getByText(done).waitFor({ timeout: MAX_MS });
        return performance.now() - start;
      };
      const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
      await page.getByLabel('Select visible findings').check();
      const selectMs = await timed(
        () => button(/^Select all/).click(),
        `${number(rows)} selected: all that match`,
      );
      await button('Set status').click();
      await page.getByRole('menuitem', { name: 'Confirmed' }).click();
      const changeMs = await timed(
        () => page.getByRole('dialog').getByRole('button', { name: 'Set status' }).click(),
        `Set to Confirmed: ${counted(rows, 'finding')}`,
      );
      if ((await confirmed()) !== rows) throw new Error('not all findings were changed');
      const undoMs = await timed(() => button(/^Undo/).click(), `Undone for ${counted(rows, 'finding')}`);
      if ((await confirmed()) !== before) throw new Error('not all findings were restored');
      return [
        { name: 'select ms', value: selectMs },
        { name: 'change: findings per second', value: rows / (changeMs / 1000) },
        { name: 'undo: findings per second', value: rows / (undoMs / 1000) },
        { name: 'change s', value: changeMs / 1000 },
        { name: 'undo s', value: undoMs / 1000 },
      ];
    } finally {
      await browser.close();
    }
  },
});
