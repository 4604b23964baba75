import { VERSION } from '../config/version.ts';
import { OutboundError, TooLargeError } from '../outbound/error.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Answer } from '../outbound/webhooks.ts';
import type { z } from '../schema.ts';
import { inLine } from './blocks.ts';
import { TrackerError } from './tracker.ts';

/** The services that trackers use. */
export interface TrackerTools {
  outbound: Pick<Outbound, 'request'>;
  clock: () => Date;
  /** Ends requests early. */
  signal?: AbortSignal | undefined;
}

/** An API of a tracker. */
export interface TrackerApi {
  /** The address that paths are added to. */
  base: string;
  headers: Record<string, string>;
  /** Texts that messages must not have. */
  secrets: readonly string[];
}

interface Content {
  query?: Record<string, string>;
  body?: object;
}

/** Sends a request, and reads the answer as a shape. @throws TrackerError */
export type Call = <T extends z.ZodType>(
  method: 'GET' | 'POST' | 'PATCH' | 'PUT',
  path: string,
  shape: T,
  content?: Content,
) => Promise<{ data: z.output<T>; headers: Headers }>;

const MAX_MESSAGE = 300;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Makes the function that calls an API. It does not follow redirects, because the token is for this address only. */
export function createCalls({ outbound, clock, signal }: TrackerTools, api: TrackerApi): Call {
  return async (method, path, shape, { query = {}, body } = {}) => {
    const search = new URLSearchParams(query);
    const url = `${api.base}${path}${search.size > 0 ? `?${search}` : ''}`;
    const headers = {
      'user-agent': `svc-findings/${VERSION}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...api.headers,
    };
    const content = body === undefined ? undefined : JSON.stringify(body);
    const answer = await outbound.request(url, { method, headers, body: content, signal }).catch((error) => {
      if (!(error instanceof OutboundError)) throw error;
      // The same answer would be too large again.
      throw new TrackerError(error instanceof TooLargeError ? 'refused' : 'later', error.message);
    });
    const failure = failureOf(answer, api, clock());
    if (failure) throw failure;
    const { success, data } = shape.safeParse(answer.text === '' ? undefined : parsed(answer.text));
    const { origin } = new URL(api.base);
    if (!success) throw new TrackerError('later', `The answer of ${origin} is not that of this tracker.`);
    return { data, headers: answer.headers };
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The failure that a response is; undefined if it is none. */
function failureOf(answer: Answer, api: TrackerApi, now: Date): TrackerError | undefined {
  const { status, headers } = answer;
  const { origin } = new URL(api.base);
  const isUnknownUser = /AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/.test(
    headers.get('x-seraph-loginreason') ?? '',
  );
  const said = quoted(answer.text, api.secrets);
  if (status === 401 || isUnknownUser)
    return new TrackerError('unauthorized', `${origin} does not accept the token${said}`, { status });
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400)
    return new TrackerError('moved', `${origin} has moved it to another address.`, { status });
  if (status >= 500 || status === 429 || isRateLimit(answer)) {
    const message = `${origin} answered with the status ${status}${said}`;
    return new TrackerError('later', message, { status, retryAt: retryAtOf(headers, now) });
  }
  const isOutOfReach = status === 403 || status === 404 || status === 410;
  const message = `${origin} answered with the status ${status}${said}`;
  return new TrackerError(isOutOfReach ? 'forbidden' : 'refused', message, { status });
}

/** GitHub answers 403, also for its secondary limits, which have no number of requests. */
const isRateLimit = ({ status, headers, text }: Answer): boolean =>
  status === 403 &&
  (headers.has('retry-after') ||
    headers.get('x-ratelimit-remaining') === '0' ||
    /rate limit/i.test(text.slice(0, 1_000)));

/** When a tracker says that it accepts requests again: from a second to an hour from now. */
function retryAtOf(headers: Headers, now: Date): Date | undefined {
  const after = headers.get('retry-after');
  // Answers have the time of the reset also while requests are left.
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0' || headers.get('ratelimit-remaining') === '0';
  const reset = isUsedUp ? (headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset')) : null;
  const at = after === null ? timeOf(reset, 0) : timeOf(after, now.getTime());
  if (at === undefined) return undefined;
  const wait = Math.min(Math.max(at - now.getTime(), 1_000), HOUR_MS);
  return new Date(now.getTime() + wait);
}

/** The time of a header: a date, or seconds from a time. */
function timeOf(value: string | null, from: number): number | undefined {
  if (value === null) return undefined;
  const time = /^\d{1,12}$/.test(value) ? from + Number(value) * 1_000 : Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

/** The reason that a tracker gives for a failure, as the end of a sentence. */
function quoted(text: string, secrets: readonly string[]): string {
  const texts = textsOf(parsed(text)).join(' ');
  const safe = secrets.reduce((left, secret) => left.replaceAll(secret, '…'), texts);
  return safe === '' ? '.' : `: ${inLine(safe, MAX_MESSAGE)}`;
}

/** The texts in `message`, `error`, `errorMessages` and `errors` of GitHub, GitLab and Jira. */
function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 3) return [];
  if (Array.isArray(value)) return value.slice(0, 10).flatMap((item) => textsOf(item, depth + 1));
  const entries = Object.entries(value).slice(0, 20);
  const said = depth > 0 ? entries : entries.filter(([name]) => /^(?:message|error)/.test(name));
  return said.flatMap(([name, item]) => {
    const texts = textsOf(item, depth + 1);
    return depth > 0 && texts.length > 0 ? [`${name}: ${texts.join(' ')}`] : texts;
  });
}

/**
 * Does something with an issue. A tracker answers 404 or 410 for one that was deleted and for a project that is out of reach.
 * @param readProject throws if it cannot be read
 */
export async function withIssue<T>(key: string, work: () => Promise<T>, readProject: () => Promise<unknown>) {
  try {
    return await work();
  } catch (error) {
    const status = error instanceof TrackerError ? error.status : undefined;
    if (status !== 404 && status !== 410) throw error;
    await readProject();
    throw new TrackerError('deleted', `The issue ${key} does not exist any more.`, { status });
  }
}
