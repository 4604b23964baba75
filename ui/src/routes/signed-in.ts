import { createRoute } from '@tanstack/react-router';
import { findMe } from '../app/session.ts';
import { toLogin, toVerification } from './redirects.ts';
import { errorComponent, root } from './root.tsx';

/** The parent of all routes that need a session. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: '_signed-in',
  errorComponent,
  beforeLoad: async ({ context: { queries, site }, location }) => {
    const me = await findMe(queries);
    if (!me) throw toLogin(site, location.publicHref);
    if (me.email_verification_required) throw toVerification(site, location.publicHref);
    return { me };
  },
});
