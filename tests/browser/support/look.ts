import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A global of the browser in which the function below runs. */
declare const getComputedStyle: (element: unknown) => { backgroundColor: string };

const SCHEMES = ['light', 'dark'] as const;

/** Runs checks of what is seen, in light and in dark colours. */
export async function inEachScheme(page: Page, check: (scheme: string) => Promise<void>): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await check(colorScheme);
  }
}

/** The background of an element itself, as the browser computes it, such as `rgb(46, 46, 46)`. */
export const backgroundOf = (area: Locator): Promise<string> =>
  area.evaluate((element) => getComputedStyle(element).backgroundColor);

/** Checks that nothing behind an area is seen, whatever moves there. */
export async function expectOpaque(page: Page, area: Locator, move: () => Promise<void>): Promise<void> {
  const box = await area.boundingBox();
  if (!box) throw new Error('the area is not visible');
  // Without its edges, which may be between two pixels.
  const clip = { x: box.x + 2, y: box.y + 2, width: box.width - 4, height: box.height - 4 };
  const shot = async () => (await page.screenshot({ clip, animations: 'disabled' })).toString('base64');
  const before = await shot();
  await move();
  expect(await contrastOf(page, before, await shot()), 'the area looks the same').toBeLessThan(VISIBLE);
}

/** A difference of colours that a person may see, of 255. Browsers round by 1. */
const VISIBLE = 4;

/** The largest difference of a colour between two images of the same size (PNG, Base64). */
async function contrastOf(page: Page, ...images: [string, string]): Promise<number> {
  // The page itself may not load images of data.
  const blank = await page.context().newPage();
  const contrast = await blank.evaluate<number>(`(async (images) => {
    const [a, b] = await Promise.all(images.map(async (base64) => {
      const image = new Image();
      image.src = 'data:image/png;base64,' + base64;
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    }));
    return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
  })(${JSON.stringify(images)})`);
  await blank.close();
  return contrast;
}
