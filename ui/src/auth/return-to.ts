import type { Site } from '../app/site.ts';

/** Where the visitor was sent last, and when: of this window only. */
const SENT = 'sent-to';
const AT_ONCE_MS = 30_000;

/** Leaves for where the visitor wanted to go. The page is loaded anew, so that nothing of before is left in it. */
export function goOn(site: Site, returnTo: string | undefined): void {
  // Whoever comes back to this page finds it as it was left, waiting.
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload(), { once: true });
  location.assign(destinationOf(site, returnTo));
}

const destinationOf = (site: Site, returnTo: string | undefined) => site.safeReturn(returnTo) ?? '/';

/**
 * Where somebody goes who is signed in already. Nowhere when they were sent there a moment ago: then their session does
 * not reach that place, which has sent them back, and would so for ever.
 */
export function destinationOfSignedIn(site: Site, returnTo: string | undefined): string | undefined {
  const to = destinationOf(site, returnTo);
  const [last, at] = sessionStorage.getItem(SENT)?.split(' ') ?? [];
  if (last === to && Date.now() - Number(at) < AT_ONCE_MS) return undefined;
  sessionStorage.setItem(SENT, `${to} ${Date.now()}`);
  return to;
}

/** That registering was refused as closed: then it is not offered again in this window. */
export const closedRegistration = {
  isKnown: () => sessionStorage.getItem('registration') === 'closed',
  remember: () => sessionStorage.setItem('registration', 'closed'),
  forget: () => sessionStorage.removeItem('registration'),
};
