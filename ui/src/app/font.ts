import file from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { whenIdle } from './idle.ts';

/** The key in the local storage under which the file is named that the browser has in its cache. */
const STORED = 'font';
/** Latin, as the file contains it. Other scripts are shown in fonts of the system. */
const LATIN =
  'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD';

/**
 * Shows text in Inter if the browser has it in its cache, before anything is shown. Otherwise the system's font stays until
 * the page is loaded again, so that nothing moves; the file is loaded when the page is complete, so that it delays nothing.
 * @returns a promise that resolves before text may be shown; it never waits for the server
 */
export async function showCachedFont(): Promise<void> {
  if (localStorage.getItem(STORED) !== file) return whenIdle(store);
  try {
    // Fails instead of waiting for the server.
    const response = await fetch(file, { cache: 'only-if-cached', mode: 'same-origin' });
    if (!response.ok) throw new Error('not cached');
    const face = new FontFace('Inter', await response.arrayBuffer(), {
      weight: '100 900',
      unicodeRange: LATIN,
    });
    await face.load();
    document.fonts.add(face);
  } catch {
    localStorage.removeItem(STORED);
    whenIdle(store);
  }
}

async function store(): Promise<void> {
  try {
    const response = await fetch(file);
    // A response is cached when it is read to its end.
    await response.arrayBuffer();
    if (response.ok) localStorage.setItem(STORED, file);
  } catch {
    // The next page tries again.
  }
}
