import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
// Colours on their way to others are those of neither scheme.
const SETTLED = `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter((one) => one instanceof CSSTransition)
    .map((one) => one.finished)))
  .then(() => {})`;
const OPTIONS = { runOnly: { type: 'tag', values: TAGS }, resultTypes: ['violations'] };

/** Looks for barriers (WCAG 2.2 AA) in a page as it is, in light and in dark colours. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(SETTLED);
    const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(OPTIONS)})`);
    const found = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, help, nodes }) => ({
        id,
        help,
        at: nodes.slice(0, 5).map(({ html }) => html.slice(0, 300)),
      }));
    expect(found, `${page.url()} in ${colorScheme}`).toEqual([]);
  }
}
