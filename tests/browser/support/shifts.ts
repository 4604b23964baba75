import type { Page } from 'playwright-core';

/** Adds up what moves in the pages that a window opens, as browsers measure it: cumulative layout shift without that of inputs. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries())
        if (!hadRecentInput) shifts.push({ value, moved: sources.map(({ node }) => (node?.innerText ?? '').slice(0, 60)) });
    }).observe({ type: 'layout-shift', buffered: true });`);
}

interface Shift {
  value: number;
  /** The texts that have moved. */
  moved: string[];
}

/** The movements in the page so far, and their sum. */
export async function shiftsOf(page: Page): Promise<{ sum: number; shifts: Shift[] }> {
  const shifts = await page.evaluate<Shift[]>('shifts');
  return { sum: shifts.reduce((sum, { value }) => sum + value, 0), shifts };
}
