import { createRoute } from '@tanstack/react-router';
import { textSearch } from '../app/search.ts';
import { PlainShell } from '../shell/PlainShell.tsx';
import { errorComponent, page, signedIn } from './root.tsx';

const plain = createRoute({
  getParentRoute: () => signedIn,
  id: '_plain',
  component: PlainShell,
  errorComponent,
});

const orgs = createRoute({
  getParentRoute: () => plain,
  path: '/orgs',
  component: page(() => import('../orgs/Orgs.tsx'), 'Orgs'),
});

const newOrg = createRoute({
  getParentRoute: () => plain,
  path: '/orgs/new',
  component: page(() => import('../orgs/NewOrg.tsx'), 'NewOrg'),
});

const profile = createRoute({
  getParentRoute: () => plain,
  path: '/profile',
  component: page(() => import('../profile/Profile.tsx'), 'Profile'),
});

const profileEmails = createRoute({
  getParentRoute: () => profile,
  path: '/',
  component: page(() => import('../profile/Emails.tsx'), 'Emails'),
});

const profilePassword = createRoute({
  getParentRoute: () => profile,
  path: '/password',
  component: page(() => import('../profile/Password.tsx'), 'Password'),
});

const profileMfa = createRoute({
  getParentRoute: () => profile,
  path: '/mfa',
  validateSearch: textSearch('return_to', 'sso_error'),
  component: page(() => import('../profile/mfa/Mfa.tsx'), 'Mfa'),
});

const profileSessions = createRoute({
  getParentRoute: () => profile,
  path: '/sessions',
  component: page(() => import('../profile/Sessions.tsx'), 'Sessions'),
});

const profileTokens = createRoute({
  getParentRoute: () => profile,
  path: '/tokens',
  component: page(() => import('../profile/tokens/PersonalTokens.tsx'), 'PersonalTokens'),
});

const profileData = createRoute({
  getParentRoute: () => profile,
  path: '/data',
  component: page(() => import('../profile/your-data/YourData.tsx'), 'YourData'),
});

const profileNotifications = createRoute({
  getParentRoute: () => profile,
  path: '/notifications',
  component: page(() => import('../profile/notifications/Notifications.tsx'), 'Notifications'),
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
    profileNotifications,
    profileData,
  ]),
]);
