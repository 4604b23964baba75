import { randomBytes } from 'node:crypto';

/** Credentials, headers and body of a call; everything is optional. */
export interface CallOptions {
  /** Text, bytes or a form as they are; anything else as JSON. */
  body?: unknown;
  /** Value of the `svc_token` cookie. */
  cookie?: string | undefined;
  /** API token. */
  token?: string | undefined;
  /** `X-Org-Slug`: names the org in single-host mode. */
  org?: string | undefined;
  host?: string | undefined;
  headers?: Record<string, string>;
}

/** A response, read. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The whole body as text. */
  text: string;
  /** The envelope. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  json: any;
  /** `result` of the envelope. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  result: any;
  /** `type/code` of the first error. */
  error: string | undefined;
  /** Names of the fields in `details`. */
  badFields: string[];
  /** Status, error and fields in one text: `400 validation_error/field_invalid name`. */
  refusal: string;
  /** The session cookie it sets. */
  cookie: string | undefined;
}

export type Api = ReturnType<typeof createClient>;

/** A response as observers see it. */
export interface Observation {
  method: string;
  /** Without query. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
}

/** A client of the API. Paths are relative to `/api/v1`, or from the root when they start with `//`. */
export function createClient(
  fetch: (request: Request) => Response | Promise<Response>,
  origin: string,
  observe: (seen: Observation) => void = () => {},
) {
  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const headers = new Headers(options.headers);
    headers.set('host', options.host ?? new URL(origin).host);
    if (options.cookie !== undefined) headers.set('cookie', `svc_token=${options.cookie}`);
    if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`);
    if (options.org !== undefined) headers.set('x-org-slug', options.org);
    const init: RequestInit = { method, headers };
    if (options.body !== undefined) {
      const { body } = options;
      const isForm = body instanceof FormData;
      init.body =
        typeof body === 'string' || body instanceof Uint8Array || isForm
          ? (body as string)
          : JSON.stringify(body);
      if (!isForm && !headers.has('content-type')) headers.set('content-type', 'application/json');
    }
    const url = origin + (path.startsWith('//') ? path.slice(1) : `/api/v1${path}`);
    const response = await fetch(new Request(url, init));
    const text = await textOf(response);
    const { status, headers: answered } = response;
    observe({ method, path: new URL(url).pathname, status, headers: answered, text });
    return read(response, text);
  }
  return {
    call,
    get: (path: string, options?: CallOptions) => call('GET', path, options),
    post: (path: string, options?: CallOptions) => call('POST', path, options),
    put: (path: string, options?: CallOptions) => call('PUT', path, options),
    patch: (path: string, options?: CallOptions) => call('PATCH', path, options),
    delete: (path: string, options?: CallOptions) => call('DELETE', path, options),
  };
}

/** Events that are there arrive within this time. */
const EVENTS_MS = 100;

/** Reads the body. A stream of events stays open: its events that have arrived are read. */
export async function textOf(response: Response): Promise<string> {
  if (response.body === null || !isEventStream(response.headers)) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), EVENTS_MS);
    });
    const part = await Promise.race([reader.read(), late]);
    clearTimeout(timer);
    if (!part || part.done) break;
    text += decoder.decode(part.value, { stream: true });
  }
  await reader.cancel();
  return text;
}

const isEventStream = (headers: Headers): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false;

function read(response: Response, text: string): Answer {
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const json = isJson ? JSON.parse(text) : undefined;
  const [first] = json?.errors ?? [];
  const error = first && `${first.type}/${first.code}`;
  const badFields = (first?.details ?? []).map(({ field }: { field: string }) => field);
  return {
    status: response.status,
    headers: response.headers,
    text,
    json,
    result: json?.result,
    error,
    badFields,
    refusal: [response.status, error, ...badFields].filter(Boolean).join(' '),
    cookie: /(?:^|, )svc_token=([^;]*)/.exec(response.headers.get('set-cookie') ?? '')?.[1],
  };
}

/** Has letters only: mails replace digits in names that could be a telephone number. */
const unique = () =>
  randomBytes(4)
    .toString('hex')
    .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '');

export const PASSWORD = 'Correct1horse';

/** A signed-in user. */
export interface TestUser {
  id: string;
  email: string;
  cookie: string;
}

/** Registers a user. */
export async function createUser(
  api: Api,
  name = 'Ada Lovelace',
  options: CallOptions = {},
): Promise<TestUser> {
  const email = `user-${unique()}@example.com`;
  const answer = await api.post('/auth/register', { ...options, body: { email, password: PASSWORD, name } });
  if (answer.status !== 201 || !answer.cookie) throw new Error(`not registered: ${answer.text}`);
  return { id: answer.result.user.id, email, cookie: answer.cookie };
}

/** An organization with an owner, a project and a project token. */
export interface TestOrg {
  id: string;
  slug: string;
  owner: TestUser;
  projectId: string;
  token: string;
  tokenId: string;
  /** The owner's credentials, for cookie calls. */
  asOwner: { cookie: string; org: string };
  /** The agent's credentials, for bearer calls. */
  asAgent: { token: string; org: string };
}

/** Makes an org by the API, in single-host mode. */
export async function createOrg(api: Api, slug = `org-${unique()}`): Promise<TestOrg> {
  const owner = await createUser(api);
  const org = must(await api.post('/orgs', { cookie: owner.cookie, body: { name: slug, slug } }));
  const asOwner = { cookie: owner.cookie, org: slug };
  return await addProject(api, { id: org.id, slug, owner, asOwner }, 'Web shop');
}

/** Adds a project with a token. @returns the organization, whose agent acts on this project */
export async function addProject(
  api: Api,
  { id, slug, owner, asOwner }: Pick<TestOrg, 'id' | 'slug' | 'owner' | 'asOwner'>,
  name = 'Other',
): Promise<TestOrg> {
  const projectId = must(await api.post('/projects', { ...asOwner, body: { name } })).id;
  const { tokenId, ...asAgent } = await addToken(api, { slug, asOwner, projectId });
  return { id, slug, owner, projectId, token: asAgent.token, tokenId, asOwner, asAgent };
}

/** Creates a token of the organization's project. @returns the credentials of its agent, and its id */
export async function addToken(
  api: Api,
  { slug, asOwner, projectId }: Pick<TestOrg, 'slug' | 'asOwner' | 'projectId'>,
) {
  const path = `/projects/${projectId}/tokens`;
  const { token, info } = must(await api.post(path, { ...asOwner, body: { name: 'ci' } }));
  return { token: token as string, org: slug, tokenId: info.id as string };
}

/** A member of an organization, with credentials for cookie calls. */
export interface TestMember extends TestUser {
  as: TestOrg['asOwner'];
}

/** Adds a new user to an organization. */
export async function addMember(
  api: Api,
  { slug, asOwner }: Pick<TestOrg, 'slug' | 'asOwner'>,
  role = 'member',
  name?: string,
): Promise<TestMember> {
  const user = await createUser(api, name);
  must(await api.post('/members/invite', { ...asOwner, body: { email: user.email, role } }));
  return { ...user, as: { cookie: user.cookie, org: slug } };
}

/** The result of a call that has to succeed. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
export function must(answer: Answer): any {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.result;
}

/** Registers a scan and returns its id. */
export async function createScan(api: Api, org: TestOrg, scanId = `scan-${unique()}`): Promise<string> {
  const body = { scan_id: scanId, project_id: org.projectId, persona: 'sharingan' };
  must(await api.post('/agent/scans', { ...org.asAgent, body }));
  return scanId;
}

/** The body of a push. */
export function finding(org: TestOrg, scanId: string, fields: Record<string, unknown> = {}) {
  return {
    scan_id: scanId,
    project_id: org.projectId,
    fingerprint: `fp-${unique()}`,
    title: 'SQL injection in search',
    severity: 'high',
    description: 'User input reaches the query.',
    ...fields,
  };
}

/** Pushes a finding and returns it. */
export async function push(api: Api, org: TestOrg, scanId: string, fields: Record<string, unknown> = {}) {
  return must(await api.post('/agent/findings', { ...org.asAgent, body: finding(org, scanId, fields) }));
}
