import type { Page } from 'playwright-core';

/** Adds up what moves in the pages that a window opens, as browsers measure it: cumulative layout shift without that of inputs. */
export const watchShifts = (page: Page): Promise<void> =>
  page.addInitScript(`
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries())
        if (!hadRecentInput) shifts.push({ value, moved: sources.map(({ node }) => (node?.innerText ?? '').slice(0, 60)) });
    }).observe({ type: 'layout-shift', buffered: true });`);

interface Shift {
  value: number;
  /** The text of what has moved. */
  moved: string[];
}

/** What has moved in the page so far, and how much. */
export async function shiftsOf(page: Page): Promise<{ sum: number; shifts: Shift[] }> {
  const shifts = await page.evaluate<Shift[]>('shifts');
  return { sum: shifts.reduce((sum, { value }) => sum + value, 0), shifts };
}
