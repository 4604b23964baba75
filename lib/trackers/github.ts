import { z } from '../schema.ts';
import { plainTitle } from './blocks.ts';
import { createCalls, type TrackerTools, withIssue } from './calls.ts';
import { markdownMarker, toMarkdown } from './markdown.ts';
import { findMarked, markedSince, PAGE_ISSUES } from './marked.ts';
import {
  type ClosingReason,
  type NewIssue,
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
    base: `${apiOf(url)}/repos/${project}`,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    secrets: [token],
  });

  /** Get a repository. */
  async function readRepository() {
    const { data, headers } = await call('GET', '', Repository);
    if (!data.has_issues)
      throw new TrackerError('forbidden', `Issues are switched off in the repository ${project}.`);
    if (data.archived) throw new TrackerError('forbidden', `The repository ${project} is archived.`);
    return headers;
  }

  /** List repository issues: the newest first, until the time of the new one. */
  function find(issue: NewIssue): Promise<string | undefined> {
    const since = markedSince(issue);
    const query = { ...{ state: 'all', sort: 'created', direction: 'desc' }, since: since.toISOString() };
    return findMarked(markdownMarker(issue.marker), async (page = '1') => {
      const { data } = await call('GET', '/issues', Issues, {
        query: { ...query, per_page: String(PAGE_ISSUES), page },
      });
      const last = data.at(-1);
      const isMore = data.length === PAGE_ISSUES && last && new Date(last.created_at) >= since;
      return {
        issues: data
          .filter(({ pull_request }) => !pull_request)
          .map(({ number, body }) => ({ key: String(number), text: body ?? '' })),
        next: isMore ? String(Number(page) + 1) : undefined,
      };
    });
  }

  /** Update an issue. */
  const update = (key: string, body: object) =>
    withIssue(key, () => call('PATCH', `/issues/${key}`, Issue, { body }), readRepository);

  /** Get an issue. A pull request is an issue for GitHub. */
  async function read(key: string): Promise<TrackerIssue> {
    const { data } = await withIssue(key, () => call('GET', `/issues/${key}`, Issue), readRepository);
    if (data.pull_request) throw new TrackerError('refused', `#${key} is a pull request.`);
    const isClosed = data.state === 'closed';
    const reason = data.state_reason?.replaceAll('_', ' ');
    return { key, isClosed, status: isClosed && reason ? `closed as ${reason}` : data.state };
  }

  return {
    async check() {
      const headers = await readRepository();
      await call('GET', '/issues', Issues, { query: { per_page: '1' } });
      const tokenExpiresAt = expiryOf(headers);
      return tokenExpiresAt ? { tokenExpiresAt } : {};
    },
    keyOf(text) {
      const [, repository = '', number] =
        /^\/(.+)\/issues\/([1-9]\d{0,11})\/?$/.exec(pathIn(url, text)) ?? [];
      return repository.toLowerCase() === project.toLowerCase() ? number : undefined;
    },
    urlOf: (key) => `${url}/${project}/issues/${key}`,
    /** Create an issue. */
    async create(issue) {
      const found = await find(issue);
      if (found !== undefined) return found;
      const body = {
        title: plainTitle(issue.title),
        body: toMarkdown(issue.blocks, issue.marker),
        labels: [...labels],
      };
      const { data } = await call('POST', '/issues', Created, { body });
      return String(data.number);
    },
    read,
    /** Create an issue comment. */
    async comment(key, blocks) {
      const body = { body: toMarkdown(blocks) };
      await withIssue(
        key,
        () => call('POST', `/issues/${key}/comments`, z.unknown(), { body }),
        readRepository,
      );
    },
    async close(key, reason) {
      const { isClosed } = await read(key);
      if (!isClosed) await update(key, { state: 'closed', state_reason: REASONS[reason] });
    },
    async reopen(key) {
      const { isClosed } = await read(key);
      if (isClosed) await update(key, { state: 'open', state_reason: 'reopened' });
    },
  };
}
