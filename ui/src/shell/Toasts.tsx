import { Notifications, notificationsStore } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { SHOWN_MS } from '../components/errors/toasts.ts';

/** The toasts in a corner of the window where they cover no field. */
export const Toasts = () => (
  <Notifications position="bottom-right" limit={4} autoClose={SHOWN_MS} data-place={usePlace()} />
);

/** In the order of preference. The last one covers the header, which has no field. */
const PLACES = ['bottom right', 'bottom left', 'top right', 'header'] as const;
type Place = (typeof PLACES)[number];

const ROOT = '.mantine-Notifications-root[data-position="bottom-right"]';
/** Fields that a user types into or chooses from. */
const FIELDS =
  'textarea, select, [contenteditable="true"], input:not([type="checkbox"], [type="radio"], [type="file"], [type="hidden"])';
/** The distance from the edges of the window and from the header, and the height of a toast that is not measured yet. */
const GAP = 16;
const LEAST_HEIGHT = 80;

/** A place where toasts cover no field: the present one as long as that is so. Toasts under the pointer stay. */
function usePlace(): Place {
  const [place, setPlace] = useState<Place>(PLACES[0]);
  useEffect(() => {
    let frame = 0;
    const choose = () => {
      const root = document.querySelector<HTMLElement>(ROOT);
      const count = notificationsStore.getState().notifications.length;
      if (!root || count === 0 || root.matches(':hover, :focus-within')) return;
      const fields = [...document.querySelectorAll<HTMLElement>(FIELDS)]
        .filter((field) => !root.contains(field) && field.checkVisibility())
        .map((field) => field.getBoundingClientRect());
      const width = root.offsetWidth;
      const height = Math.max(root.offsetHeight, count * LEAST_HEIGHT);
      const isFree = (one: Place) => {
        const { left, top } = cornerOf(one, root, width, height);
        return !fields.some(
          (field) =>
            field.left < left + width && field.right > left && field.top < top + height && field.bottom > top,
        );
      };
      setPlace((now) => (isFree(now) ? now : (PLACES.find(isFree) ?? 'header')));
    };
    const schedule = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(choose);
    };
    const unsubscribe = notificationsStore.subscribe(schedule);
    const ended = new AbortController();
    const options = { capture: true, passive: true, signal: ended.signal };
    for (const name of ['scroll', 'resize', 'focusin'] as const)
      window.addEventListener(name, schedule, options);
    schedule();
    return () => {
      cancelAnimationFrame(frame);
      unsubscribe();
      ended.abort();
    };
  }, []);
  return place;
}

/** The upper left corner of toasts at a place, as the styles of `data-place` set it. */
function cornerOf(place: Place, root: HTMLElement, width: number, height: number) {
  const margin = Number.parseFloat(getComputedStyle(root).marginBottom) || 0;
  const header = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) * 3.5;
  return {
    left: place === 'bottom left' ? GAP : document.documentElement.clientWidth - width - GAP,
    top: place.startsWith('bottom')
      ? window.innerHeight - height - GAP - margin
      : place === 'header'
        ? 0
        : header + GAP,
  };
}
