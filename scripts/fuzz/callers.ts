import * as OTPAuth from 'otpauth';
import type { Sql } from '../../db/pool/query.ts';
import { endpoints } from '../../handlers/index.ts';
import type { Access } from '../../lib/http/access.ts';

/** Somebody in whose name requests are sent. */
export interface Caller {
  name: string;
  /** The ids of the operations that they call. */
  operations: string[];
  /** The organization the requests name. */
  org: string;
  /** Credentials, by the security scheme they are for. */
  auth: { cookie?: string; token?: string };
  /** Existing ids, by the names of schemathesis.toml: without them little would be reached. */
  known: Known;
  /** They call the server in strict mode. */
  strict?: true;
}

type Known = Record<(typeof KINDS)[number], string[]>;

const KINDS = [
  'project',
  'scan',
  'finding',
  'exploit',
  'token',
  'user',
  'email',
  'device',
  'session',
] as const;

/** That of the API's examples: so change, disable and regenerate get beyond it. */
const PASSWORD = 'Correct1horse';

/** Their sessions may end on the way: they call nothing else. */
const SESSIONS = ['listSessions', 'revokeSession', 'revokeOtherSessions'];

/** After it they would be nobody there. */
const LEAVE = ['leaveOrg'];

/** Makes two organizations with all there can be in one, accounts, and who calls. */
export async function prepareCallers(origin: string, sql: Sql): Promise<Caller[]> {
  const api = client(origin);
  const one = await makeOrg(api, 'fuzz-one');
  // The owner switches flags and removes members, whom that would shut out.
  const two = await makeOrg(api, 'fuzz-two');
  const account = await makeAccount(api, sql, 'account');
  const guest = await makeAccount(api, sql, 'guest');
  const ofAccount = operationsFor('cookie');
  const ofMembers = operationsFor('cookieOrg').filter((id) => !LEAVE.includes(id));
  const unverified = await signUp(api, 'unverified@fuzz.example');
  const pending = await signUp(api, 'pending@fuzz.example');
  await api('POST', '/members/invite', {
    cookie: one.owner,
    org: one.slug,
    body: { email: 'pending@fuzz.example', role: 'admin' },
  });
  // The pending member has verified another address than the invited one.
  await sql.unsafe(`update shared.user_emails set verified_at = now() where user_id = $1`, [pending.user.id]);
  await sql.unsafe(
    `update shared.memberships set invited_email = $2 where user_id = $1 and confirmed_at is null`,
    [pending.user.id, 'other@fuzz.example'],
  );
  return [
    { name: 'anonymous', operations: Object.keys(endpoints), org: one.slug, auth: {}, known: one.known },
    {
      name: 'account',
      operations: ofAccount.filter((id) => !SESSIONS.includes(id)),
      org: one.slug,
      auth: { cookie: account.cookie },
      known: { ...one.known, ...account.known },
    },
    {
      name: 'sessions',
      operations: ofAccount.filter((id) => SESSIONS.includes(id)),
      org: one.slug,
      auth: { cookie: guest.cookie },
      known: { ...one.known, ...guest.known },
    },
    {
      name: 'owner',
      operations: ofMembers,
      org: one.slug,
      auth: { cookie: one.owner },
      known: one.known,
    },
    {
      name: 'leaver',
      operations: LEAVE,
      org: two.slug,
      auth: { cookie: two.leaver },
      known: two.known,
    },
    {
      name: 'unverified',
      operations: [...ofAccount, ...ofMembers],
      org: two.slug,
      auth: { cookie: unverified.cookie },
      known: two.known,
      strict: true,
    },
    {
      name: 'pending',
      operations: operationsFor('cookieOrg'),
      org: one.slug,
      auth: { cookie: pending.cookie },
      known: one.known,
      strict: true,
    },
    {
      name: 'member',
      operations: [...ofMembers, ...operationsFor('bearer', 'public')],
      org: two.slug,
      auth: { cookie: two.member },
      known: two.known,
    },
    {
      name: 'agent',
      operations: Object.keys(endpoints),
      org: two.slug,
      auth: { token: two.token },
      known: two.known,
    },
  ];
}

const operationsFor = (...kinds: Access['kind'][]): string[] =>
  Object.entries(endpoints).flatMap(([id, { access }]) => (kinds.includes(access.kind) ? [id] : []));

async function makeOrg(api: Api, slug: string) {
  const owner = await signUp(api, `owner@${slug}.example`);
  // Or `require_mfa` would shut them out.
  await secondFactor(api, owner.cookie);
  await api('POST', '/orgs', { cookie: owner.cookie, body: { name: slug, slug } });
  const asOwner = { cookie: owner.cookie, org: slug };
  // Without the owner, who would give up the role.
  const user: string[] = [];
  const cookies: Record<string, string> = {};
  for (const role of ['admin', 'viewer', 'owner', 'member']) {
    const email = `other-${role}@${slug}.example`;
    cookies[role] = (await signUp(api, email)).cookie;
    user.push((await api('POST', '/members/invite', { ...asOwner, body: { email, role } })).user_id);
  }
  const { member = '', viewer: leaver = '' } = cookies;
  await api('PATCH', '/org-features/org_wide_tokens', { ...asOwner, body: { enabled: true } });
  const project = (await api('POST', '/projects', { ...asOwner, body: { name: 'Web shop' } })).id;
  const { token } = await api('POST', `/projects/${project}/tokens`, { ...asOwner, body: { name: 'ci' } });
  const tokens: string[] = [];
  for (const path of ['/tokens', `/projects/${project}/tokens`, '/tokens']) {
    tokens.push((await api('POST', path, { ...asOwner, body: { name: 'to be revoked' } })).info.id);
  }

  const asAgent = { token, org: slug };
  const scan = 'nightly-1';
  await api('POST', '/agent/scans', {
    ...asAgent,
    body: { scan_id: scan, project_id: project, persona: 'sharingan', target: { type: 'repository' } },
  });
  const finding: string[] = [];
  for (const severity of ['critical', 'high', 'medium', 'low', 'info']) {
    const body = {
      scan_id: scan,
      project_id: project,
      fingerprint: `fingerprint-${severity}`,
      title: 'SQL injection in search',
      severity,
      description: 'User input reaches the **query**.',
      cwe: 'CWE-89',
      cvss_score: 9.8,
    };
    finding.push((await api('POST', '/agent/findings', { ...asAgent, body })).id);
  }
  const exploit = await api('POST', `/agent/findings/${finding[0]}/exploits`, {
    ...asAgent,
    body: { filename: 'poc.py', language: 'python', code: 'print(1)' },
  });
  const nobody = crypto.randomUUID();
  const known: Known = {
    ...{ project: [project], scan: [scan], finding, exploit: [exploit.id], token: tokens, user },
    ...{ email: [nobody], device: [nobody], session: [nobody] },
  };
  return { slug, owner: owner.cookie, member, leaver, token: token as string, known };
}

/** An account with several addresses, devices and sessions. */
async function makeAccount(api: Api, sql: Sql, name: string) {
  const address = `${name}@fuzz.example`;
  const { cookie } = await signUp(api, address);
  const body = { email: address, password: PASSWORD };
  for (const _ of Array(5)) await api('POST', '/auth/login', { body });
  for (const n of [1, 2, 3, 4])
    await api('POST', '/profile/emails', { cookie, body: { email: `${n}-${address}` } });
  // In place of the links that were mailed.
  await sql.unsafe(`update shared.user_emails set verified_at = now() where email in ($1, $2, $3)`, [
    address,
    `1-${address}`,
    `2-${address}`,
  ]);
  const { emails } = await api('GET', '/profile/emails', { cookie });
  for (const device of ['Old phone', 'Older phone'])
    await api('POST', '/profile/mfa/devices/totp', { cookie, body: { name: device } });
  await secondFactor(api, cookie);
  const { devices } = await api('GET', '/profile/mfa/devices', { cookie });
  const { sessions } = await api('GET', '/profile/sessions', { cookie });
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  return { cookie, known: { email: ids(emails), device: ids(devices), session: ids(sessions) } };
}

async function signUp(api: Api, email: string): Promise<{ cookie: string; user: { id: string } }> {
  return await api('POST', '/auth/register', { body: { email, password: PASSWORD, name: email } });
}

async function secondFactor(api: Api, cookie: string): Promise<void> {
  const { device, secret } = await api('POST', '/profile/mfa/devices/totp', {
    cookie,
    body: { name: 'Phone' },
  });
  const code = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) }).generate();
  await api('POST', `/profile/mfa/devices/totp/${device.id}/verify`, { cookie, body: { code } });
  await api('POST', '/profile/mfa/enable', { cookie });
}

interface Call {
  body?: object;
  cookie?: string;
  token?: string;
  org?: string;
}

type Api = ReturnType<typeof client>;

/** Calls that have to succeed; @returns `result`, and the cookie that was set */
function client(origin: string) {
  return async (method: string, path: string, { body, cookie, token, org }: Call) => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(cookie !== undefined && { cookie: `svc_token=${cookie}` }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(org !== undefined && { 'x-org-slug': org }),
      },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const set = /(?:^|, )svc_token=([^;]*)/.exec(response.headers.get('set-cookie') ?? '')?.[1];
    // biome-ignore lint/suspicious/noExplicitAny: a script that stops when something is not there
    return { ...(JSON.parse(text) as any).result, ...(set && { cookie: set }) };
  };
}
