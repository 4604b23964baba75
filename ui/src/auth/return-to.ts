import type { Site } from '../app/site.ts';

/** The last destination and its time, for this window only. */
const SENT = 'sent-to';
const LOOP_MS = 30_000;

/** Opens the requested page. A page load clears the data of the previous user. */
export function continueTo(site: Site, returnTo: string | undefined): void {
  // The browser would restore this page in its waiting state.
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload(), { once: true });
  location.assign(destinationOf(site, returnTo));
}

const destinationOf = (site: Site, returnTo: string | undefined) => site.safeReturn(returnTo) ?? '/';

/**
 * The destination of a user who is already signed in. Undefined if the user was sent there a moment ago: the session is not
 * valid at the destination, and the redirects would loop.
 */
export function destinationOfSignedIn(site: Site, returnTo: string | undefined): string | undefined {
  const to = destinationOf(site, returnTo);
  const [last, at] = sessionStorage.getItem(SENT)?.split(' ') ?? [];
  if (last === to && Date.now() - Number(at) < LOOP_MS) return undefined;
  sessionStorage.setItem(SENT, `${to} ${Date.now()}`);
  return to;
}

/** Remembers that registration is closed. The window does not offer it again. */
export const closedRegistration = {
  isKnown: () => sessionStorage.getItem('registration') === 'closed',
  remember: () => sessionStorage.setItem('registration', 'closed'),
  forget: () => sessionStorage.removeItem('registration'),
};
