import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseBody, ServiceError } from '../../lib/client/index.ts';
import { UsageError } from '../errors.ts';
import { oneLine } from '../text.ts';
import { createApi } from './api.ts';
import { createSend } from './transport.ts';

/*
 * Jobs of CI systems need no API key: the CI system signs a token that says which job has it, and the service gives an API token for it.
 * The audience of the token is the address of the service, so that no other service can use it.
 */

type Env = Readonly<Record<string, string | undefined>>;
type Send = ReturnType<typeof createSend>;

/** Gets a token of the CI system for an audience. */
type IdTokenSource = (audience: string, send: Send) => Promise<string>;

/** How this job gets a token. @returns undefined if it is no job, or may get none */
export function idTokenSource(env: Env): IdTokenSource | undefined {
  const { SVC_ID_TOKEN: given, ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: key } = env;
  if (given) return async () => given.trim();
  if (url && key) return (audience, send) => askGithub(url, key, audience, send);
  if (env.BUILDKITE === 'true') {
    const claims = ['organization_id', 'pipeline_id'].flatMap((name) => ['--claim', name]);
    return (audience) =>
      print('buildkite-agent', ['oidc', 'request-token', '--audience', audience, ...claims]);
  }
  if (env.CIRCLECI === 'true')
    return (aud) => print('circleci', ['run', 'oidc', 'get', '--claims', JSON.stringify({ aud })]);
  return undefined;
}

async function askGithub(address: string, key: string, audience: string, send: Send): Promise<string> {
  const url = new URL(address);
  url.searchParams.set('audience', audience);
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  const response = await send({ method: 'GET', url: url.href, headers, body: undefined });
  const { value } = (parseBody(response.text) ?? {}) as { value?: unknown };
  if (response.ok && typeof value === 'string') return value;
  // The delivery tries it again.
  if (response.status >= 500) throw new ServiceError(response, undefined);
  throw new UsageError(`GitHub Actions gave no token: it answered with status ${response.status}`);
}

/** The output of a program of the CI system. */
async function print(program: string, args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { timeout: 30_000 })).stdout.trim();
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new UsageError(`${program} gave no token: ${oneLine(stderr || message)}`);
  }
}

/** The time before its end at which an API token is replaced. */
const MARGIN_MS = 5 * 60_000;

export interface CiLogin {
  source: IdTokenSource;
  baseUrl: string;
  orgSlug: string | undefined;
  project: string;
}

/** Creates a function that returns an API token, and gets another one shortly before it expires. */
export function createCiKey({ source, baseUrl, orgSlug, project }: CiLogin): () => Promise<string> {
  const send = createSend(1);
  const api = createApi({ baseUrl, token: undefined, orgSlug, send });
  let current: Promise<string> | undefined;
  let renewAt = 0;
  let expiresAt = 0;

  async function exchange(): Promise<string> {
    const id_token = await source(baseUrl, send);
    const { result } = await api.post('/agent/token', { body: { id_token, project } }).catch((error) => {
      const isRefused = error instanceof ServiceError && error.status === 401;
      throw isRefused ? new UsageError(`${error.message} ${describeClaims(id_token)}`) : error;
    });
    expiresAt = Date.parse(result.expires_at);
    renewAt = expiresAt - MARGIN_MS;
    return result.token;
  }

  return () => {
    if (!current || Date.now() > renewAt) {
      renewAt = Number.POSITIVE_INFINITY;
      const former = current;
      current = exchange().catch((error) => {
        current = former;
        // It works for a few minutes more, in which the exchange is tried again.
        renewAt = Math.min(expiresAt, Date.now() + 30_000);
        if (former && Date.now() < expiresAt) return former;
        current = undefined;
        throw error;
      });
    }
    return current;
  };
}

/** The claims that decide whether a project trusts a token. */
const DECISIVE = [
  ...['iss', 'aud', 'repository', 'repository_id', 'repository_owner_id', 'project_path', 'project_id'],
  ...['pipeline_slug', 'pipeline_id', 'organization_id', 'oidc.circleci.com/project-id'],
  ...['ref', 'build_branch', 'environment'],
];

function describeClaims(token: string): string {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const shown = DECISIVE.filter((name) => name in claims).map((name) => `${name} ${claims[name]}`);
    return `Compare it with the CI systems on the page of the project. It has: ${oneLine(shown.join(', '))}`;
  } catch {
    return 'It is not a token of OpenID Connect.';
  }
}
