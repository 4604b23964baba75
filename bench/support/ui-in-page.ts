/** What {@link IN_PAGE} offers to a page that is measured, as `inPage`. */
export interface InPage {
  /** Of the page's load: when something was painted, and its heading; bytes of scripts as they were sent. */
  load(): { firstPaint: number; heading: number; scriptBytes: number };
  /** Resolves when the list of findings shows rows. */
  rowsShown(): Promise<void>;
  /** From here on a click counts as a change of the filter. */
  expectFilter(): void;
  /** Milliseconds from that click until its rows are painted. */
  filtered(): Promise<number>;
  /** Looks at every frame from here on. */
  watchFrames(): void;
  /** What was seen since: rows that went by, frames, those with a row that was not there yet, and 95 % of frames took so long. */
  framesSeen(): { rows: number; frames: number; blank: number; frameMs: number };
}

/** A script, as it runs in the page before all others. */
export const IN_PAGE = `
(() => {
  const grid = () => document.querySelector('[role=grid]');
  const frame = () => new Promise(requestAnimationFrame);
  const inView = () => {
    const box = grid().getBoundingClientRect();
    const head = grid().querySelector('[role=columnheader]').getBoundingClientRect().bottom;
    return [...grid().querySelectorAll('[data-index]')].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return bottom > head + 1 && top < box.bottom - 1;
    });
  };
  const isBlank = (row) => row.querySelector('[aria-label=Loading]') !== null;
  const isFull = () => {
    if (!grid() || grid().getAttribute('aria-rowcount') === '-1' || !grid().querySelector('[role=columnheader]')) return false;
    const rows = inView();
    const box = grid().getBoundingClientRect();
    const reaches = rows.some((row) => row.getBoundingClientRect().bottom >= box.bottom - 1);
    return rows.length > 0 && reaches && !rows.some(isBlank);
  };
  let heading;
  const look = () => {
    if (document.querySelector('h1')) heading = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);

  let clicked, before;
  const seen = { frames: 0, blank: 0, rows: new Set(), times: [] };
  window.inPage = {
    load: () => ({
      firstPaint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
      heading,
      scriptBytes: performance.getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }),
    async rowsShown() {
      while (!isFull()) await frame();
    },
    expectFilter() {
      before = grid().getAttribute('aria-rowcount');
      clicked = undefined;
      addEventListener('click', () => { clicked = performance.now(); }, { capture: true, once: true });
    },
    async filtered() {
      while (clicked === undefined || !isFull() || grid().getAttribute('aria-rowcount') === before) await frame();
      // In the frame after this one it has been painted.
      await frame();
      return performance.now() - clicked;
    },
    watchFrames() {
      let last = performance.now();
      const next = () => {
        const now = performance.now();
        seen.frames++;
        seen.times.push(now - last);
        last = now;
        const rows = inView();
        const box = grid().getBoundingClientRect();
        const reaches = rows.some((row) => row.getBoundingClientRect().bottom >= box.bottom - 1);
        if (!reaches || rows.some(isBlank)) seen.blank++;
        for (const row of rows) seen.rows.add(row.dataset.index);
        requestAnimationFrame(next);
      };
      requestAnimationFrame(next);
    },
    framesSeen: () => ({
      frames: seen.frames,
      blank: seen.blank,
      rows: seen.rows.size,
      frameMs: seen.times.sort((a, b) => a - b)[Math.floor(seen.times.length * 0.95)],
    }),
  };
})();
`;
