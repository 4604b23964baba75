import * as fc from 'fast-check';
import type { Role } from '../../../db/schema/orgs.ts';
import { endpoints as table } from '../../../handlers/index.ts';
import { Call } from './call.ts';
import { RANK } from './guard.ts';
import { anyPicks, type Door, type Picks } from './picks.ts';
import {
  ACCESS,
  BASE_DOMAIN,
  ENDPOINTS,
  type EndpointName,
  MEMBERS,
  type OrgName,
  USERS,
  type UserName,
  WITHOUT_TABLES,
} from './world.ts';

/*
 * Calls of members of organizations without tables. Hardly one in a hundred entirely random calls is admitted to
 * such an organization and writes to it.
 */

const accessOf = (name: EndpointName) => {
  const { access } = table[name];
  return access.kind === 'cookieOrg' ? access : undefined;
};

/** The operations of members that create the tables. */
const FIRST_WRITES = ENDPOINTS.filter(
  (name) =>
    accessOf(name) && table[name].route(() => undefined as never).some((one) => one.name === 'ownTables'),
);

/** The first writes that leave a row where there was none, and the list that shows it. */
const SHOWN_BY: Partial<Record<EndpointName, EndpointName>> = {
  createProject: 'listProjects',
  createView: 'listViews',
  createRule: 'listRules',
  createWebhook: 'listWebhooks',
  createIntegration: 'listIntegrations',
  updateDueDates: 'getDueDates',
  updateOrgFeature: 'listOrgFeatures',
};
/** A flag may lock members out: that is tried more often. */
const INSERTS = [...Object.keys(SHOWN_BY), 'updateOrgFeature'] as EndpointName[];

/** Inserts that change neither what others may do nor what they find by a name. */
const STEADY_INSERTS: readonly EndpointName[] = ['createView', 'updateDueDates'];

/** Lists of an organization. */
const LISTS = ENDPOINTS.filter(
  (name) => accessOf(name) && table[name].method === 'GET' && !table[name].path.includes('{'),
);

/** Operations that show a user objects of all organizations. */
const OVERVIEWS: readonly EndpointName[] = ['exportMe', 'listOrgs'];

const known = <T>(all: readonly T[]) => fc.constantFrom(...all);

/** Two organizations without tables. On the edge none has no tables, and nothing is drawn. */
const anyTwo = fc
  .shuffledSubarray([...WITHOUT_TABLES], {
    minLength: Math.min(2, WITHOUT_TABLES.length),
    maxLength: Math.min(2, WITHOUT_TABLES.length),
  })
  .map((orgs) => orgs as [OrgName, OrgName]);

/** The app of each call of a story. */
const anyApps = (calls: number) =>
  fc.array(known<Door['app']>(['based', 'single', 'strict']), { minLength: calls, maxLength: calls });

const membersOf = (org: OrgName) => USERS.filter((user) => user in MEMBERS[org]);

/** The first user with the role, from a random one on. */
function callerOf(org: OrgName, endpoint: EndpointName, from: number): UserName {
  const members = membersOf(org);
  const isRefused = (user: UserName) => accessOf(endpoint)?.project === 'none' && ACCESS[org]?.[user];
  const isAllowed = (user: UserName) =>
    !isRefused(user) &&
    RANK.indexOf(MEMBERS[org][user] as Role) >= RANK.indexOf(accessOf(endpoint)?.role as Role);
  const turned = members.map((_, i) => members[(i + from) % members.length] as UserName);
  return turned.find(isAllowed) as UserName;
}

function callOf(picks: Picks, endpoint: EndpointName, org: OrgName, app: Door['app'], user: UserName): Call {
  const door =
    app === 'based' ? { app, host: `${org}.${BASE_DOMAIN}` } : { app, host: 'localhost', slug: org };
  const session = { cookie: `${user}/live`, token: undefined, origin: undefined };
  return new Call({ ...picks, ...session, endpoint, door });
}

/** The picks of a first write: one of a flag switches it on. */
const anyWritePicks = anyPicks(ENDPOINTS).map((picks) => ({
  ...picks,
  flag: picks.flag === 'nowhere' ? 'require_mfa' : picks.flag,
  whose: 'own' as const,
}));

/**
 * The first write of an organization, between reads of it and of another one. All members read it afterwards.
 */
export const anyFirstWrite: fc.Arbitrary<Call[]> = fc
  .record({
    orgs: anyTwo,
    write: fc.oneof({ weight: 3, arbitrary: known(INSERTS) }, { weight: 1, arbitrary: known(FIRST_WRITES) }),
    list: known(LISTS),
    overview: known(OVERVIEWS),
    picks: anyWritePicks,
    apps: anyApps(8),
  })
  .map(({ orgs: [one, other], write, list, overview, picks, apps }) => {
    const shown = SHOWN_BY[write] ?? list;
    const chosen = write === 'updateOrgFeature' ? { ...picks, choice: 0 } : picks;
    const any = (org: OrgName, endpoint: EndpointName) =>
      [org, endpoint, callerOf(org, endpoint, picks.thing)] as const;
    return [
      any(one, shown),
      any(other, shown),
      any(one, write),
      ...membersOf(one).map((user) => [one, shown, user] as const),
      any(other, shown),
      any(other, overview),
    ].map(([org, endpoint, user], i) => callOf(chosen, endpoint, org, apps[i] as Door['app'], user));
  });

/** Several first writes of an organization, one of another, and reads of both, for the same instant. */
export const anyFirstWrites: fc.Arbitrary<Call[]> = fc
  .record({
    orgs: anyTwo,
    writes: fc.array(known(STEADY_INSERTS), { minLength: 4, maxLength: 4 }),
    lists: fc.array(known(LISTS), { minLength: 2, maxLength: 2 }),
    picks: anyWritePicks,
    apps: anyApps(6),
  })
  .map(({ orgs: [one, other], writes, lists, picks, apps }) =>
    [...writes, ...lists].map((endpoint, i) => {
      const org = i === 3 || i === 5 ? other : one;
      return callOf(picks, endpoint, org, apps[i] as Door['app'], callerOf(org, endpoint, i));
    }),
  );
