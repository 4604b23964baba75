import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { textSearch } from '../app/search.ts';
import { whenUp } from '../app/server.ts';
import { PlainShell } from '../shell/PlainShell.tsx';
import { errorComponent } from './root.tsx';
import { signedIn } from './signed-in.ts';

const plain = createRoute({
  getParentRoute: () => signedIn,
  id: '_plain',
  component: PlainShell,
  errorComponent,
});

const orgs = createRoute({
  getParentRoute: () => plain,
  path: '/orgs',
  component: lazyRouteComponent(
    whenUp(() => import('../orgs/Orgs.tsx')),
    'Orgs',
  ),
});

const newOrg = createRoute({
  getParentRoute: () => plain,
  path: '/orgs/new',
  component: lazyRouteComponent(
    whenUp(() => import('../orgs/NewOrg.tsx')),
    'NewOrg',
  ),
});

const profile = createRoute({
  getParentRoute: () => plain,
  path: '/profile',
  component: lazyRouteComponent(
    whenUp(() => import('../profile/Profile.tsx')),
    'Profile',
  ),
});

const profileEmails = createRoute({
  getParentRoute: () => profile,
  path: '/',
  component: lazyRouteComponent(
    whenUp(() => import('../profile/Emails.tsx')),
    'Emails',
  ),
});

const profilePassword = createRoute({
  getParentRoute: () => profile,
  path: '/password',
  component: lazyRouteComponent(
    whenUp(() => import('../profile/Password.tsx')),
    'Password',
  ),
});

const profileMfa = createRoute({
  getParentRoute: () => profile,
  path: '/mfa',
  validateSearch: textSearch('return_to'),
  component: lazyRouteComponent(
    whenUp(() => import('../profile/mfa/Mfa.tsx')),
    'Mfa',
  ),
});

const profileSessions = createRoute({
  getParentRoute: () => profile,
  path: '/sessions',
  component: lazyRouteComponent(
    whenUp(() => import('../profile/Sessions.tsx')),
    'Sessions',
  ),
});

const profileTokens = createRoute({
  getParentRoute: () => profile,
  path: '/tokens',
  component: lazyRouteComponent(
    whenUp(() => import('../profile/tokens/PersonalTokens.tsx')),
    'PersonalTokens',
  ),
});

const profileData = createRoute({
  getParentRoute: () => profile,
  path: '/data',
  component: lazyRouteComponent(
    whenUp(() => import('../profile/your-data/YourData.tsx')),
    'YourData',
  ),
});

/** Pages of the signed-in user that belong to no organization. */
export const accountPages = plain.addChildren([
  orgs,
  newOrg,
  profile.addChildren([
    profileEmails,
    profilePassword,
    profileMfa,
    profileSessions,
    profileTokens,
    profileData,
  ]),
]);
