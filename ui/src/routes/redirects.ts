import { redirect } from '@tanstack/react-router';
import type { Site } from '../app/site.ts';
import { WrongHost } from '../app/wrong-host.ts';

/** To the login page, which is on the base domain where there is one, and back from there. */
export function toLogin(site: Site, back: string) {
  if (!site.sharesSession) {
    return new WrongHost(
      'Nobody can be signed in at this address',
      `Sign in at ${site.baseDomain}: your organizations are found from there.`,
      { label: `To ${site.baseDomain}`, href: site.signInUrl('/') },
    );
  }
  if (!site.signsIn) {
    const return_to = encodeURIComponent(location.origin + back);
    return redirect({ href: site.signInUrl(`/login?return_to=${return_to}`) });
  }
  return redirect({ to: '/login', search: back === '/' ? {} : { return_to: back } });
}

/** To the one page of an account that has to verify its address, which is where people sign in and out. */
export function toVerification(site: Site, back: string) {
  const href = `/verify?return_to=${encodeURIComponent(location.origin + back)}`;
  return redirect({ href: site.signsIn ? href : site.signInUrl(href) });
}
