import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { late } from '../app/late.ts';
import { textSearch } from '../app/search.ts';
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
    late(() => import('../orgs/Orgs.tsx')),
    'Orgs',
  ),
});

const newOrg = createRoute({
  getParentRoute: () => plain,
  path: '/orgs/new',
  component: lazyRouteComponent(
    late(() => import('../orgs/NewOrg.tsx')),
    'NewOrg',
  ),
});

const profile = createRoute({
  getParentRoute: () => plain,
  path: '/profile',
  component: lazyRouteComponent(
    late(() => import('../profile/Profile.tsx')),
    'Profile',
  ),
});

const profileEmails = createRoute({
  getParentRoute: () => profile,
  path: '/',
  component: lazyRouteComponent(
    late(() => import('../profile/Emails.tsx')),
    'Emails',
  ),
});

const profilePassword = createRoute({
  getParentRoute: () => profile,
  path: '/password',
  component: lazyRouteComponent(
    late(() => import('../profile/Password.tsx')),
    'Password',
  ),
});

const profileMfa = createRoute({
  getParentRoute: () => profile,
  path: '/mfa',
  validateSearch: textSearch('return_to'),
  component: lazyRouteComponent(
    late(() => import('../profile/mfa/Mfa.tsx')),
    'Mfa',
  ),
});

const profileSessions = createRoute({
  getParentRoute: () => profile,
  path: '/sessions',
  component: lazyRouteComponent(
    late(() => import('../profile/Sessions.tsx')),
    'Sessions',
  ),
});

const profileTokens = createRoute({
  getParentRoute: () => profile,
  path: '/tokens',
  component: lazyRouteComponent(
    late(() => import('../profile/tokens/PersonalTokens.tsx')),
    'PersonalTokens',
  ),
});

const profileData = createRoute({
  getParentRoute: () => profile,
  path: '/data',
  component: lazyRouteComponent(
    late(() => import('../profile/your-data/YourData.tsx')),
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
