import { z } from '../schema.ts';
import { plainTitle } from './blocks.ts';
import { createCalls, type TrackerTools, withIssue } from './calls.ts';
import { markdownMarker, toMarkdown } from './markdown.ts';
import { findMarked, markedSince, PAGE_ISSUES } from './marked.ts';
import { type Tracker, TrackerError, type TrackerIssue, type TrackerSettings } from './tracker.ts';
import { pathIn } from './urls.ts';

const Project = z.object({ issues_enabled: z.boolean().optional(), archived: z.boolean().optional() });
const Token = z.object({
  scopes: z.array(z.string().max(100)).max(100),
  expires_at: z.string().max(100).nullish(),
});
const Issue = z.object({
  iid: z.int().positive(),
  state: z.enum(['opened', 'closed']),
  moved_to_id: z.int().nullish(),
});
const Issues = z.array(z.object({ iid: z.int().positive(), description: z.string().nullish() }));

/** Issues of a project (REST API v4 of GitLab.com and of GitLab 16.0 and newer), with a personal, group or project access token. */
export function createGitlab(settings: TrackerSettings, tools: TrackerTools): Tracker {
  const { url, project, labels, token } = settings;
  const call = createCalls(tools, {
    base: `${url}/api/v4`,
    headers: { authorization: `Bearer ${token}` },
    secrets: [token],
  });
  const path = `/projects/${encodeURIComponent(project)}`;

  /** Retrieve a project. */
  async function readProject() {
    const { data } = await call('GET', path, Project);
    if (data.issues_enabled === false)
      throw new TrackerError('forbidden', `Issues are switched off in the project ${project}.`);
    if (data.archived) throw new TrackerError('forbidden', `The project ${project} is archived.`);
  }

  const ofIssue = <T extends z.ZodType>(
    key: string,
    method: 'GET' | 'POST' | 'PUT',
    end: string,
    shape: T,
    body?: object,
  ) =>
    withIssue(
      key,
      () => call(method, `${path}/issues/${key}${end}`, shape, { ...(body && { body }) }),
      readProject,
    );

  /** Retrieve a project issue. One that was moved is closed, and names its successor. */
  async function read(key: string): Promise<TrackerIssue> {
    const { data } = await ofIssue(key, 'GET', '', Issue);
    if (typeof data.moved_to_id === 'number')
      throw new TrackerError('moved', `The issue #${key} was moved to another project.`);
    const isClosed = data.state === 'closed';
    return { key, isClosed, isCompleted: isClosed, status: isClosed ? 'closed' : 'open' };
  }

  return {
    async check() {
      await readProject();
      /** Retrieve the token itself. */
      const { data } = await call('GET', '/personal_access_tokens/self', Token);
      if (!data.scopes.includes('api'))
        throw new TrackerError('forbidden', 'The token needs the scope `api` to create issues.');
      const tokenExpiresAt = new Date(data.expires_at ?? '');
      return Number.isNaN(tokenExpiresAt.getTime()) ? {} : { tokenExpiresAt };
    },
    keyOf(text) {
      const [, found = '', iid] =
        /^\/(.+?)(?:\/-)?\/(?:issues|work_items)\/([1-9]\d{0,11})\/?$/.exec(pathIn(url, text)) ?? [];
      return found.toLowerCase() === project.toLowerCase() ? iid : undefined;
    },
    urlOf: (key) => `${url}/${project}/-/issues/${key}`,
    /** List project issues that the account of the token has created: the newest first. */
    find(marker, since) {
      const query = {
        ...{ scope: 'created_by_me', order_by: 'created_at', sort: 'desc' },
        ...{ created_after: markedSince(since).toISOString(), per_page: String(PAGE_ISSUES) },
      };
      return findMarked(markdownMarker(marker), async (page = '1') => {
        const { data } = await call('GET', `${path}/issues`, Issues, { query: { ...query, page } });
        return {
          issues: data.map(({ iid, description }) => ({ key: String(iid), text: description ?? '' })),
          next: data.length === PAGE_ISSUES ? String(Number(page) + 1) : undefined,
        };
      });
    },
    /** Create an issue. */
    async create(issue) {
      const body = {
        title: plainTitle(issue.title),
        description: toMarkdown(issue.blocks, issue.marker),
        ...(labels.length > 0 && { labels }),
      };
      const { data } = await call('POST', `${path}/issues`, Issue, { body });
      return String(data.iid);
    },
    read,
    /** Create an issue note. */
    async comment(key, blocks) {
      await ofIssue(key, 'POST', '/notes', z.unknown(), { body: toMarkdown(blocks) });
    },
    async close(key) {
      const { isClosed } = await read(key);
      if (!isClosed) await ofIssue(key, 'PUT', '', Issue, { state_event: 'close' });
      return 'closed';
    },
    async reopen(key) {
      const { isClosed } = await read(key);
      if (isClosed) await ofIssue(key, 'PUT', '', Issue, { state_event: 'reopen' });
      return 'open';
    },
  };
}
