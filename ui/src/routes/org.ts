import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import * as text from '#strings/routes.ts';
import { activitySearch } from '../activity/search.ts';
import { api } from '../app/api.ts';
import { NoSuchOrg, WrongHost } from '../app/org-errors.ts';
import {
  findingSearch,
  oneOf,
  scanSearch,
  textSearch,
  wholeNumber,
  withoutUndefined,
} from '../app/search.ts';
import { whenUp } from '../app/server.ts';
import { orgSession } from '../app/session.ts';
import { auditSearch } from '../audit/search.ts';
import { ATTENTION } from '../findings/views.ts';
import { metricsSearch } from '../metrics/range.ts';
import { SCAN_STATUSES, type ScanStatus } from '../scans/queries.ts';
import { NotFoundInShell, OrgProblem } from '../shell/ErrorPages.tsx';
import { OrgShell } from '../shell/OrgShell.tsx';
import { deliveriesSearch } from '../webhooks/queries.ts';
import { page, signedIn } from './root.tsx';

/** The organization that had a slug before it was changed. */
const readRenamed = (slug: string) =>
  api.get('/orgs/{slug}', { params: { path: { slug } } }).then(
    ({ result }) => result,
    () => undefined,
  );

const org = createRoute({
  getParentRoute: () => signedIn,
  path: '/o/$org',
  component: OrgShell,
  errorComponent: OrgProblem,
  notFoundComponent: NotFoundInShell,
  beforeLoad: async ({ params, context: { me, site } }) => {
    const found = me.orgs.find(({ slug }) => slug === params.org);
    if (!found) {
      const renamed = await readRenamed(params.org);
      const now = me.orgs.find(({ id }) => id === renamed?.id);
      throw now ? redirect({ href: site.orgUrl(now.slug) }) : new NoSuchOrg(params.org);
    }
    if (!site.reaches(found.slug)) {
      throw new WrongHost(text.otherOrganization, text.openAtMainAddress(found.name), {
        label: text.showOrganizations,
        href: '/orgs',
      });
    }
    // This host does not name the organization.
    if (site.baseDomain !== '' && site.hostOrg !== params.org)
      throw redirect({ href: site.orgUrl(found.slug) });
    localStorage.setItem('org', found.slug);
    return { session: orgSession(found.slug, found) };
  },
});

const dashboard = createRoute({
  getParentRoute: () => org,
  path: '/',
  validateSearch: metricsSearch,
  component: page(() => import('../dashboard/Dashboard.tsx'), 'Dashboard'),
});

const metrics = createRoute({
  getParentRoute: () => org,
  path: '/metrics',
  validateSearch: metricsSearch,
  component: page(() => import('../metrics/Metrics.tsx'), 'Metrics'),
});

const findings = createRoute({
  getParentRoute: () => org,
  path: '/findings',
  // The list, and the finding that is previewed beside it.
  validateSearch: (given: Record<string, unknown>) =>
    withoutUndefined<ReturnType<typeof findingSearch> & { preview?: string }>({
      ...findingSearch(given),
      ...textSearch('preview')(given),
    }),
  // The address of a list says what it shows.
  beforeLoad: ({ params, search }) => {
    if (Object.keys(search).length > 0) return;
    throw redirect({ to: '/o/$org/findings', params, search: ATTENTION, replace: true });
  },
  component: lazyRouteComponent(
    whenUp(() => import('../findings/list/Findings.tsx')),
    'Findings',
  ),
});

const finding = createRoute({
  getParentRoute: () => org,
  path: '/findings/$id',
  // The list and the position in it, counted from 1, for links to the previous and next finding.
  validateSearch: (given: Record<string, unknown>) =>
    withoutUndefined<ReturnType<typeof findingSearch> & { at?: number }>({
      ...findingSearch(given),
      at: wholeNumber(given.at),
    }),
  component: page(() => import('../findings/page/FindingPage.tsx'), 'FindingPage'),
});

const report = createRoute({
  getParentRoute: () => org,
  path: '/report',
  validateSearch: findingSearch,
  component: page(() => import('../report/Report.tsx'), 'Report'),
});

const scans = createRoute({
  getParentRoute: () => org,
  path: '/scans',
  validateSearch: (given: Record<string, unknown>) =>
    withoutUndefined<{ project_id?: string; status?: ScanStatus; page?: number }>({
      ...textSearch('project_id')(given),
      status: oneOf(SCAN_STATUSES, given.status),
      page: wholeNumber(given.page),
    }),
  component: page(() => import('../scans/Scans.tsx'), 'Scans'),
});

const scan = createRoute({
  getParentRoute: () => org,
  path: '/scans/$id',
  validateSearch: scanSearch,
  component: page(() => import('../scans/ScanPage.tsx'), 'ScanPage'),
});

const deletions = createRoute({
  getParentRoute: () => org,
  path: '/deletions',
  component: page(() => import('../deletion/Deletions.tsx'), 'Deletions'),
});

const projects = createRoute({
  getParentRoute: () => org,
  path: '/projects',
  component: page(() => import('../projects/Projects.tsx'), 'Projects'),
});

const project = createRoute({
  getParentRoute: () => org,
  path: '/projects/$slug',
  component: page(() => import('../projects/ProjectPage.tsx'), 'ProjectPage'),
});

const projectSettings = createRoute({
  getParentRoute: () => org,
  path: '/projects/$slug/settings',
  component: page(() => import('../projects/settings/ProjectSettings.tsx'), 'ProjectSettings'),
});

const members = createRoute({
  getParentRoute: () => org,
  path: '/members',
  component: page(() => import('../members/Members.tsx'), 'Members'),
});

const activity = createRoute({
  getParentRoute: () => org,
  path: '/activity',
  validateSearch: activitySearch,
  component: page(() => import('../activity/Activity.tsx'), 'Activity'),
});

const audit = createRoute({
  getParentRoute: () => org,
  path: '/audit',
  validateSearch: auditSearch,
  component: page(() => import('../audit/Audit.tsx'), 'Audit'),
});

const tokens = createRoute({
  getParentRoute: () => org,
  path: '/tokens',
  component: page(() => import('../tokens/Tokens.tsx'), 'Tokens'),
});

const rules = createRoute({
  getParentRoute: () => org,
  path: '/rules',
  component: page(() => import('../rules/Rules.tsx'), 'Rules'),
});

const newRule = createRoute({
  getParentRoute: () => org,
  path: '/rules/new',
  // A finding that the rule is made from.
  validateSearch: textSearch('from'),
  component: page(() => import('../rules/RulePage.tsx'), 'NewRule'),
});

const rule = createRoute({
  getParentRoute: () => org,
  path: '/rules/$id',
  component: page(() => import('../rules/RulePage.tsx'), 'EditRule'),
});

const settings = createRoute({
  getParentRoute: () => org,
  path: '/settings',
  component: page(() => import('../settings/Settings.tsx'), 'Settings'),
});

const webhook = createRoute({
  getParentRoute: () => org,
  path: '/webhooks/$id',
  validateSearch: deliveriesSearch,
  component: page(() => import('../webhooks/Deliveries.tsx'), 'Deliveries'),
});

const integration = createRoute({
  getParentRoute: () => org,
  path: '/integrations/$id',
  validateSearch: deliveriesSearch,
  component: page(() => import('../integrations/IntegrationDeliveries.tsx'), 'IntegrationDeliveries'),
});

/** The former address of the settings. */
const features = createRoute({
  getParentRoute: () => org,
  path: '/features',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/o/$org/settings', params, replace: true });
  },
});

/** Pages of an organization. */
export const orgPages = org.addChildren([
  dashboard,
  metrics,
  findings,
  finding,
  report,
  scans,
  scan,
  deletions,
  projects,
  project,
  projectSettings,
  members,
  activity,
  audit,
  tokens,
  rules,
  newRule,
  rule,
  settings,
  webhook,
  integration,
  features,
]);
