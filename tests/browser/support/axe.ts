import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The schemes differ in nothing but colours. */
const SCHEMES = {
  light: { type: 'tag', values: TAGS },
  dark: { type: 'rule', values: ['color-contrast'] },
};
// Colours on their way to others are those of neither scheme.
const SETTLED = `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter((one) => one instanceof CSSTransition)
    .map((one) => one.finished)))
  .then(() => {})`;

/** Looks for barriers (WCAG 2.2 AA) in a page as it is, in light and in dark colours. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(source);
  for (const [scheme, runOnly] of Object.entries(SCHEMES)) {
    await page.emulateMedia({ colorScheme: scheme as keyof typeof SCHEMES });
    await page.evaluate(SETTLED);
    const { violations } = await page.evaluate<AxeResults>(
      `axe.run(${JSON.stringify({ runOnly, resultTypes: ['violations'], selectors: false })})`,
    );
    const found = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, help, nodes }) => ({
        id,
        help,
        at: nodes.slice(0, 5).map(({ html }) => html.slice(0, 300)),
      }));
    expect(found, `${page.url()} in ${scheme}`).toEqual([]);
  }
}
