import { z } from '../schema.ts';
import { inLine, plainTitle } from './blocks.ts';
import { createCalls, type TrackerTools, withIssue } from './calls.ts';
import { markdownMarker, toMarkdown } from './markdown.ts';
import { findMarked, markedSince, PAGE_ISSUES } from './marked.ts';
import {
  type ClosingReason,
  type Tracker,
  TrackerError,
  type TrackerIssue,
  type TrackerSettings,
} from './tracker.ts';
import { pathIn } from './urls.ts';

const Repository = z.object({ has_issues: z.boolean(), archived: z.boolean().optional() });
const Created = z.object({ number: z.int().positive() });
const Issue = z.object({
  number: z.int().positive(),
  state: z.enum(['open', 'closed']),
  state_reason: z.string().max(100).nullish(),
  pull_request: z.unknown().optional(),
});
const User = z.object({ login: z.string().max(100) });
const Issues = z.array(
  z.object({
    number: z.int().positive(),
    created_at: z.string(),
    body: z.string().nullish(),
    pull_request: z.unknown().optional(),
  }),
);

const REASONS: Record<ClosingReason, string> = { fixed: 'completed', dismissed: 'not_planned' };

/** The address of the API: of github.com, of GitHub Enterprise Cloud with data residency, or of GitHub Enterprise Server. */
function apiOf(url: string): string {
  const { host } = new URL(url);
  if (host === 'github.com' || host.endsWith('.ghe.com')) return `https://api.${host}`;
  return `${url}/api/v3`;
}

/** The expiry of a token, such as `2026-12-31 09:00:00 UTC`. */
function expiryOf(headers: Headers): Date | undefined {
  const text = headers.get('github-authentication-token-expiration') ?? '';
  const at = new Date(text.replace(/^(\S+) (\S+) UTC$/, '$1T$2Z'));
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** Issues of a repository (REST API, version 2022-11-28), with a fine-grained or classic personal access token. */
export function createGithub(settings: TrackerSettings, tools: TrackerTools): Tracker {
  const { url, project, labels, token } = settings;
  const call = createCalls(tools, {
    base: apiOf(url),
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    secrets: [token],
  });

  const repository = `/repos/${project}`;

  /** Get a repository. */
  async function readRepository() {
    const { data, headers } = await call('GET', repository, Repository);
    if (!data.has_issues)
      throw new TrackerError('forbidden', `Issues are switched off in the repository ${project}.`);
    if (data.archived) throw new TrackerError('forbidden', `The repository ${project} is archived.`);
    return headers;
  }

  const toIssue = ({ number, state, state_reason }: z.output<typeof Issue>): TrackerIssue => {
    const isClosed = state === 'closed';
    const reason = inLine(state_reason?.replaceAll('_', ' ') ?? '', 100);
    const status = isClosed && reason ? `closed as ${reason}` : state;
    return { key: String(number), isClosed, isCompleted: isClosed && reason === 'completed', status };
  };

  /** Update an issue. @returns its status */
  async function update(key: string, body: object): Promise<string> {
    const change = () => call('PATCH', `${repository}/issues/${key}`, Issue, { body });
    return toIssue((await withIssue(key, change, readRepository)).data).status;
  }

  /** Get an issue. A pull request is an issue for GitHub. */
  async function read(key: string): Promise<TrackerIssue> {
    const { data } = await withIssue(
      key,
      () => call('GET', `${repository}/issues/${key}`, Issue),
      readRepository,
    );
    if (data.pull_request) throw new TrackerError('refused', `#${key} is a pull request.`);
    return { ...toIssue(data), key };
  }

  return {
    async check() {
      const headers = await readRepository();
      await call('GET', `${repository}/issues`, Issues, { query: { per_page: '1' } });
      const tokenExpiresAt = expiryOf(headers);
      return tokenExpiresAt ? { tokenExpiresAt } : {};
    },
    keyOf(text) {
      const [, repository = '', number] =
        /^\/(.+)\/issues\/([1-9]\d{0,11})\/?$/.exec(pathIn(url, text)) ?? [];
      return repository.toLowerCase() === project.toLowerCase() ? number : undefined;
    },
    urlOf: (key) => `${url}/${project}/issues/${key}`,
    /** Get the authenticated user, and list its issues of the repository: the newest first, until the time of the new one. */
    async find(marker, from) {
      const since = markedSince(from);
      const { login } = (await call('GET', '/user', User)).data;
      const query = {
        ...{ state: 'all', sort: 'created', direction: 'desc', creator: login },
        ...{ since: since.toISOString(), per_page: String(PAGE_ISSUES) },
      };
      return await findMarked(markdownMarker(marker), async (page = '1') => {
        const { data } = await call('GET', `${repository}/issues`, Issues, { query: { ...query, page } });
        const last = data.at(-1);
        const isMore = data.length === PAGE_ISSUES && last && new Date(last.created_at) >= since;
        return {
          issues: data
            .filter(({ pull_request }) => !pull_request)
            .map(({ number, body }) => ({ key: String(number), text: body ?? '' })),
          next: isMore ? String(Number(page) + 1) : undefined,
        };
      });
    },
    /** Create an issue. */
    async create(issue) {
      const body = {
        title: plainTitle(issue.title),
        body: toMarkdown(issue.blocks, issue.marker),
        labels: [...labels],
      };
      const { data } = await call('POST', `${repository}/issues`, Created, { body });
      return String(data.number);
    },
    read,
    /** Create an issue comment. */
    async comment(key, blocks) {
      const body = { body: toMarkdown(blocks) };
      await withIssue(
        key,
        () => call('POST', `${repository}/issues/${key}/comments`, z.unknown(), { body }),
        readRepository,
      );
    },
    async close(key, reason) {
      const { isClosed, status } = await read(key);
      return isClosed ? status : await update(key, { state: 'closed', state_reason: REASONS[reason] });
    },
    async reopen(key) {
      const { isClosed, status } = await read(key);
      return isClosed ? await update(key, { state: 'open', state_reason: 'reopened' }) : status;
    },
  };
}
