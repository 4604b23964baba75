import * as fc from 'fast-check';
import { endpoints as table } from '../../../handlers/index.ts';
import {
  BASE_DOMAIN,
  CHANGES,
  COMMENTS,
  DOMAIN,
  ENDPOINTS,
  type EndpointName,
  EXPLOITS,
  FINDINGS,
  FLAGS,
  idOf,
  ORGS,
  type OrgName,
  PERSONAL,
  type PersonalName,
  PROJECTS,
  RULES,
  SCANS,
  TOKENS,
  type TokenName,
  USERS,
  type UserName,
  VIEWS,
} from './world.ts';

/** Where a request arrives: an app with a base domain, in single-host mode, or in single-host and strict mode. */
export interface Door {
  app: 'based' | 'single' | 'strict';
  host: string;
  slug?: string;
}

const DOORS: Door[] = [
  ...ORGS.map((org) => ({ app: 'based' as const, host: `${org}.${BASE_DOMAIN}` })),
  ...ORGS.map((slug) => ({ app: 'single' as const, host: 'localhost', slug })),
  ...ORGS.map((slug) => ({ app: 'strict' as const, host: 'localhost', slug })),
  { app: 'based', host: BASE_DOMAIN },
  { app: 'based', host: DOMAIN.host },
  { app: 'single', host: DOMAIN.host, slug: 'bravo' },
  { app: 'based', host: 'BRAVO.SVC.test.:8443', slug: 'alpha' },
  { app: 'based', host: `bravo.${BASE_DOMAIN}`, slug: 'alpha' },
  { app: 'based', host: BASE_DOMAIN, slug: 'alpha' },
  { app: 'based', host: `alpha.bravo.${BASE_DOMAIN}` },
  { app: 'based', host: `nowhere.${BASE_DOMAIN}` },
  { app: 'based', host: `alpha.${BASE_DOMAIN}.evil.example`, slug: 'alpha' },
  { app: 'single', host: `bravo.${BASE_DOMAIN}`, slug: 'alpha' },
  { app: 'single', host: 'localhost' },
  { app: 'single', host: 'localhost', slug: 'nowhere' },
];

export const CROSSED = 'ada with a session of bob';
export const COOKIES = [
  ...USERS.map((user) => `${user}/live`),
  ...USERS.flatMap((user) => ['revoked', 'expired'].map((state) => `${user}/${state}`)),
  CROSSED,
  'garbage',
];
/** The user and the session that a cookie claims. */
export function claimsOf(cookie: string | undefined): { user: UserName; session: string } | undefined {
  if (cookie === CROSSED) return { user: 'ada', session: idOf('session', 'bob/live') };
  const user = USERS.find((name) => cookie?.startsWith(`${name}/`));
  return user && { user, session: idOf('session', cookie ?? '') };
}

/** The parts of a call, by name. Most calls use few of them. */
export interface Picks {
  endpoint: EndpointName;
  door: Door;
  cookie: string | undefined;
  /** `here` is the organization the door leads to. */
  token:
    | { org: OrgName | 'here'; name: TokenName }
    | { of: UserName; name: PersonalName }
    | 'garbage'
    | undefined;
  origin: string | undefined;
  project: (typeof PROJECTS)[number];
  scan: (typeof SCANS)[number];
  finding: (typeof FINDINGS)[number];
  exploit: (typeof EXPLOITS)[number];
  comment: (typeof COMMENTS)[number];
  change: (typeof CHANGES)[number];
  view: (typeof VIEWS)[number];
  rule: (typeof RULES)[number];
  apiToken: TokenName;
  personal: PersonalName;
  flag: (typeof FLAGS)[number];
  org: OrgName | 'nowhere';
  /** The user whose things the call names. */
  whose: UserName | 'own';
  /** Chooses among the values of an enumeration. */
  choice: number;
  /** Chooses among the user's things. */
  thing: number;
}

const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 9) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare });
const known = <const T>(...all: T[]) => fc.constantFrom(...all);

export const WITH_BODY = new Set(ENDPOINTS.filter((name) => table[name].describe().request?.body));

/** The more an endpoint takes, the more ways there are to mix it up. */
function weigh(name: EndpointName): EndpointName[] {
  const takes = WITH_BODY.has(name) || table[name].path.includes('{');
  return Array(MIXING.includes(name) ? 8 : takes ? 3 : 1).fill(name);
}
/** Endpoints that take several things of an account, each of which may be another user's. */
const MIXING: readonly EndpointName[] = ['validateMfa', 'sendEmailOtp', 'sendStepUpOtp', 'verifyEmail'];

export const anyPicks = (endpoints: readonly EndpointName[]): fc.Arbitrary<Picks> =>
  fc.record<Picks>({
    endpoint: known(...endpoints.flatMap(weigh)),
    door: often(known(...DOORS.slice(0, ORGS.length * 3 + 2)), known(...DOORS), 4),
    cookie: often(known(...COOKIES.slice(0, USERS.length)), fc.option(known(...COOKIES), { nil: undefined })),
    token: often(
      fc.record({ org: known<OrgName | 'here'>('here'), name: known(...TOKENS.slice(0, 6)) }),
      fc.oneof(
        fc.record({ org: known<OrgName | 'here'>(...ORGS), name: known(...TOKENS) }),
        fc.record({ org: known<OrgName | 'here'>('here'), name: known(...TOKENS) }),
        fc.record({ of: known(...USERS), name: known(...PERSONAL) }),
        fc.record({ of: known(...USERS), name: known(...PERSONAL) }),
        known('garbage' as const, undefined),
      ),
      3,
    ),
    origin: often(
      known(undefined),
      known('http://localhost', `https://bravo.${BASE_DOMAIN}`, 'https://evil.example'),
      15,
    ),
    project: often(known(...PROJECTS.slice(0, 2)), known(...PROJECTS), 3),
    scan: often(known(...SCANS.slice(0, 2)), known(...SCANS), 3),
    finding: often(known(...FINDINGS.slice(0, 2)), known(...FINDINGS), 3),
    exploit: known(...EXPLOITS),
    comment: known(...COMMENTS),
    change: known(...CHANGES),
    view: known(...VIEWS),
    rule: known(...RULES),
    apiToken: known(...TOKENS),
    personal: known(...PERSONAL),
    flag: known(...FLAGS),
    org: known(...ORGS, 'nowhere' as const),
    whose: often<Picks['whose']>(known('own'), known(...USERS), 1),
    choice: fc.nat(11),
    thing: fc.nat(11),
  });
