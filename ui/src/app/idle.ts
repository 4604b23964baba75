/** The time after the last transfer after which the line counts as idle. */
const IDLE_MS = 3_000;

/** Runs a task once the page has loaded nothing for a while, so that the task delays nothing. */
export function whenIdle(task: () => void): void {
  let timer: ReturnType<typeof setTimeout>;
  const run = () => {
    transfers.disconnect();
    task();
  };
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(run, IDLE_MS);
  };
  const transfers = new PerformanceObserver(wait);
  transfers.observe({ type: 'resource' });
  wait();
}
