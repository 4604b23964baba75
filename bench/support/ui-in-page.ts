/** The functions that {@link IN_PAGE} adds to a measured page, as `inPage`. */
export interface InPage {
  /** Milliseconds until the first paint and the heading; transferred bytes of scripts. */
  load(): { firstPaint: number; heading: number; scriptBytes: number };
  /** Resolves when the list of findings shows rows. */
  rowsShown(): Promise<void>;
  /** The next click counts as a change of the filter. */
  expectFilter(): void;
  /** Milliseconds from that click until its rows are painted. */
  filtered(): Promise<number>;
  /** Starts to observe frames. */
  watchFrames(): void;
  /** Since then: different rows, frames, frames with a row that was still loading, and the 95th percentile of a frame. */
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
