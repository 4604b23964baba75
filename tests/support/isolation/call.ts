import * as fc from 'fast-check';
import { TOTP } from 'otpauth';
import { endpoints as table } from '../../../handlers/index.ts';
import type { Endpoint } from '../../../lib/http/endpoint.ts';
import { type BodyParts, bodyOf } from './bodies.ts';
import { anyPicks, claimsOf, type Door, type Picks } from './picks.ts';
import {
  BASE_DOMAIN,
  DELIVERIES,
  DEVICES,
  DOMAIN,
  EMAILS,
  type EndpointName,
  type Facts,
  idOf,
  integrationOf,
  minted,
  nameOf,
  ORGS,
  type OrgFacts,
  type OrgName,
  PROJECTS,
  personalText,
  readable,
  SCANS,
  TOO_HARD,
  TOTP_SECRET,
  tokenText,
  type UserName,
  WITHOUT_TABLES,
  webhookOf,
} from './world.ts';

/** Random calls of these endpoints. */
export const anyCall = (endpoints: readonly EndpointName[]): fc.Arbitrary<Call> =>
  anyPicks(endpoints).map((picks) => {
    const call = new Call(picks);
    // Organizations without tables have no tokens: hardly any call would be admitted.
    const isStranger = call.org && WITHOUT_TABLES.includes(call.org) && picks.choice % 4 > 0;
    return isStranger ? new Call({ ...picks, token: undefined }) : call;
  });

export class Call implements BodyParts {
  readonly picks: Picks;
  readonly endpoint: Endpoint;
  readonly [fc.toStringMethod]: () => string;

  constructor(picks: Picks) {
    this.picks = picks;
    this.endpoint = table[picks.endpoint];
    this[fc.toStringMethod] = () => this.toString();
  }

  /** Where it arrives. Most account calls arrive where accounts are served. */
  get door(): Door {
    const { door, thing } = this.picks;
    const isAtHome = this.endpoint.access.kind === 'baseDomainOnly' && door.app === 'based' && thing % 4 > 0;
    return isAtHome ? { app: 'based', host: BASE_DOMAIN } : door;
  }

  get own(): UserName | undefined {
    return claimsOf(this.picks.cookie)?.user;
  }

  /** The user whose things the call names. */
  get target(): UserName {
    return this.picks.whose === 'own' ? (this.own ?? 'ada') : this.picks.whose;
  }

  /** The organization the door leads to (API contract, "Organization resolution"). */
  get org(): OrgName | undefined {
    const { app, host, slug } = this.door;
    const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
    if (name === DOMAIN.host) return DOMAIN.org;
    const label = app === 'based' ? new RegExp(`^([^.]+)\\.${BASE_DOMAIN}$`).exec(name)?.[1] : slug;
    return ORGS.find((org) => org === label);
  }

  get tokenText(): string | undefined {
    const { token } = this.picks;
    if (token === undefined || token === 'garbage') return token;
    if ('of' in token) return personalText(token.of, token.name);
    return tokenText(this.tokenOrg, token.name);
  }

  private get tokenOrg(): OrgName {
    const { token } = this.picks;
    const given = typeof token === 'object' && 'org' in token ? token.org : 'here';
    return given === 'here' ? (this.org ?? 'alpha') : given;
  }

  pick<T>(...values: T[]): T {
    return values[this.picks.choice % values.length] as T;
  }

  private thing<T>(all: readonly T[]): T {
    return all[this.picks.thing % all.length] as T;
  }

  /** The id of one of the target's things. */
  get emailId() {
    return idOf('email', `${this.target}/${this.thing(EMAILS)}`);
  }
  get deviceId() {
    return idOf('device', `${this.target}/${this.thing(DEVICES)}`);
  }

  /** Values of the path's parameters, by the word in front of each. */
  readonly params: Record<string, () => string> = {
    projects: () =>
      this.endpoint.path.endsWith('{slug}') && this.pick(true, false)
        ? this.picks.project
        : idOf('project', this.picks.project),
    tokens: () =>
      this.endpoint.access.kind === 'cookie'
        ? idOf('personal', `${this.target}/${this.picks.personal}`)
        : idOf('token', this.picks.apiToken),
    scans: () => this.picks.scan,
    findings: () => idOf('finding', this.picks.finding),
    exploits: () => idOf('exploit', this.picks.exploit),
    views: () => idOf('view', this.picks.view),
    rules: () => idOf('rule', this.picks.rule),
    // Mostly that of the organization that the call arrives at.
    webhooks: () => webhookOf(this.pick(true, true, false) ? (this.org ?? 'alpha') : this.picks.org),
    integrations: () => integrationOf(this.pick(true, true, false) ? (this.org ?? 'alpha') : this.picks.org),
    deliveries: () => idOf('delivery', this.pick(...DELIVERIES)),
    comments: () => idOf('comment', this.picks.comment),
    changes: () => idOf('change', this.picks.change),
    // The world has none.
    deletions: () => idOf('deletion', 'nowhere'),
    connections: () => idOf('connection', 'nowhere'),
    domains: () => idOf('domain', 'nowhere'),
    'ci-trusts': () => idOf('trust', 'nowhere'),
    identities: () => idOf('identity', 'nowhere'),
    members: () => idOf('user', this.target),
    'org-features': () => this.picks.flag,
    orgs: () => this.picks.org,
    emails: () => this.emailId,
    devices: () => this.deviceId,
    totp: () => this.deviceId,
    passkeys: () => idOf('device', `${this.target}/passkey`),
    sessions: () => idOf('session', `${this.target}/${this.thing(['other', 'live', 'revoked'])}`),
  };

  /** The parameters of the path: the word in front of each, and its value. */
  get named(): [word: string, value: string][] {
    return [...this.endpoint.path.matchAll(/([\w-]+)\/\{\w+\}/g)].map(([, word = '']) => {
      const value = this.params[word];
      if (!value) throw TOO_HARD(`the ids behind /${word}/`);
      return [word, value()];
    });
  }

  get path(): string {
    const values = this.named.map(([, value]) => value);
    const path = this.endpoint.path.replace(/\{\w+\}/g, () => encodeURIComponent(values.shift() ?? ''));
    const { project, scan, endpoint } = this.picks;
    const projectId = `project_id=${idOf('project', project)}`;
    const queries: Partial<Record<string, string[]>> = {
      listAgentFindings: [projectId, `${projectId}&page=1`],
      sendReport: [projectId, `${projectId}&format=generic-json`],
      listFindings: [
        ...['', projectId, `scan_id=${scan}`, 'q=secret', 'per_page=2&sort=-severity'],
        ...['format=csv', 'format=sarif', 'format=json&omit=description'],
        ...[
          'assignee=none',
          `mentions=${idOf('user', this.target)}`,
          `changed_by=${idOf('user', this.target)}`,
          'changed_after=2020-01-01',
          'has_exploit=true&page=1',
          'path=**',
          `${projectId}&${projectId}&sort=due_at&page=1`,
        ],
        ...['new', 'seen_again', 'gone'].map((change) => `scan_id=${scan}&against=weekly&change=${change}`),
      ],
      exportFindingsCsv: ['', projectId, 'q=secret&sort=-severity', `scan_id=${scan}`],
      exportFindingsSarif: ['', projectId, 'omit=description&status=open'],
      listActivity: ['', projectId, 'kind=status', `actor=${idOf('user', this.target)}`],
      exportActivity: ['', projectId],
      streamEvents: ['', 'last_event_id=0', `last_event_id=0&${projectId}`],
      listAudit: ['', `actor=${idOf('user', this.target)}`, `target=${idOf('project', project)}`],
      listChanges: ['', 'of=all'],
      listWebhookDeliveries: ['', 'state=pending', 'page=1'],
      listIntegrationDeliveries: ['', 'state=pending', 'page=1'],
      listScans: ['', 'page=1', projectId, `${projectId}&status=running&page=1`],
      scanGone: ['source=semgrep', 'source='],
      scanChanges: ['', ...SCANS.map((other) => `against=${other}`)],
    };
    const query = this.pick(...(queries[endpoint] ?? ['']));
    return query ? `${path}?${query}` : path;
  }

  get code(): string {
    return this.pick(true, true, true, false)
      ? new TOTP({ secret: TOTP_SECRET, digits: 6, period: 30 }).generate()
      : '000000';
  }

  get body() {
    return bodyOf(this);
  }

  /** For messages: `PATCH /api/v1/findings/<finding:xss> {"status":"open"} at alpha.svc.test as ada/live`. */
  toString(): string {
    const { door } = this;
    const { cookie, token, origin } = this.picks;
    const credentials = [
      cookie && `cookie=${cookie}`,
      token &&
        `token=${token === 'garbage' ? token : `${'of' in token ? token.of : this.tokenOrg}/${token.name}`}`,
      origin && `origin=${origin}`,
    ];
    const { json } = this.body ?? {};
    const place = `host=${door.host}${door.slug === undefined ? '' : ` X-Org-Slug=${door.slug}`}`;
    const text = [
      this.endpoint.method,
      this.path,
      json && JSON.stringify(json),
      place,
      ...credentials,
      `(${door.app})`,
    ]
      .filter(Boolean)
      .join(' ');
    return readable(text);
  }
}

/** The credentials and headers to send. */
export function optionsOf(call: Call, facts: Facts) {
  const { door } = call;
  const { cookie, origin } = call.picks;
  const mark = markFor(call, facts);
  const json = call.body && JSON.stringify(call.body.json).replaceAll('MARK', mark);
  return {
    host: door.host,
    org: door.slug,
    cookie: cookie === undefined ? undefined : (minted.get(cookie) ?? 'garbage'),
    token: call.tokenText,
    ...(origin !== undefined && { headers: { origin } }),
    ...(json !== undefined && { body: json }),
  };
}

/** The mark a text has to carry where this call writes it. */
function markFor(call: Call, facts: Facts): string {
  if (call.endpoint.access.kind === 'cookie') return `secret.${call.own}`;
  const { org } = call;
  if (!org) return 'secret.nobody';
  // The findings of a batch are of one project.
  const [finding] = (call.body?.json.findings ?? []) as { project_id?: string }[];
  const project = projectOf(call, facts.orgs[org]) ?? finding?.project_id;
  const name = project && nameOf('project', PROJECTS, project);
  return name && call.endpoint.access.kind === 'bearer' ? `secret.${org}.${name}` : `secret.${org}`;
}

/** The project an agent's call acts on, as far as there is one. */
export function projectOf(call: Call, org: OrgFacts): string | undefined {
  const given = call.body?.json.project_id ?? /project_id=([\w-]+)/.exec(call.path)?.[1];
  if (typeof given === 'string') return given;
  for (const [word, value] of call.named) {
    if (word === 'findings') return org.findings[value];
    if (word === 'scans') return org.scans[value];
  }
  return undefined;
}
