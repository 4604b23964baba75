import type { ReactNode } from 'react';
import { number } from './language.ts';

export const skipToContent = 'Skip to content';
export const productName = 'svc-findings';
export const tagline = 'Security findings, from scan to triage.';
export const openMenu = 'Open the menu';
export const closeMenu = 'Close the menu';
export const pagesOfOrganization = 'Pages of the organization';
export const recentChanges = 'Recent changes';
export const darkMode = 'Switch to dark mode';
export const lightMode = 'Switch to light mode';
export const search = 'Search';
export const searchKeys = 'Ctrl K';
export const searchKeysOfMac = '⌘ K';

export const dashboard = 'Dashboard';
export const findings = 'Findings';
export const scans = 'Scans';
export const projects = 'Projects';
export const metrics = 'Metrics';
export const members = 'Members';
export const rules = 'Rules';
export const apiTokens = 'API tokens';
export const settings = 'Settings';

/** For screen readers, before the name of the organization. */
export const organization = 'Organization';
export const organizations = 'Organizations';
export const allOrganizations = (count: number) => `All ${number(count)} organizations`;
export const yourOrganizations = 'Your organizations';
export const newOrganization = 'New organization';

export const accountOf = (name: string) => `Account of ${name}`;
export const profileAndSecurity = 'Profile and security';
export const signOut = 'Sign out';
export const signedInAs = (email: ReactNode) => <>You are signed in as {email}.</>;
export const otherAccount = 'Use another account';

export const serverSilent =
  'The server does not respond. The data may be out of date. Retrying automatically.';
export const offline = 'You are offline. The data may be out of date. Retrying automatically.';

export const notFound = 'Not found';
export const pageNotFound = 'Page not found';
export const whyNotFound = 'The address may be misspelled, or the page was moved.';
export const goToStart = 'Go to the start page';

/** The first line on paper. */
export const printed = (org: ReactNode, time: string) => (
  <>
    {org} · svc-findings · {time}
  </>
);
