import { z } from '../schema.ts';
import { inLine, plainTitle } from './blocks.ts';
import { createCalls, type TrackerTools, withIssue } from './calls.ts';
import { jiraMarker, toAdf, toWikiText } from './jira-markup.ts';
import { findMarked, markedSince, PAGE_ISSUES } from './marked.ts';
import { type Tracker, TrackerError, type TrackerIssue, type TrackerSettings } from './tracker.ts';
import { pathIn } from './urls.ts';

const KEY = /^[A-Z][A-Z0-9_]*-[1-9]\d{0,11}$/;
const MINUTE_MS = 60_000;
/** The time after which the search finds an issue. */
const INDEXED_MS = MINUTE_MS;
const NOT_INDEXED = 'The search of Jira may not find new issues yet.';

const Key = z.string().max(300).regex(KEY);
const Status = z.object({ name: z.string(), statusCategory: z.object({ key: z.string() }) });
const Project = z.object({
  issueTypes: z.array(z.object({ name: z.string(), subtask: z.boolean().optional() })),
});
const Permissions = z.object({
  permissions: z.record(z.string(), z.object({ havePermission: z.boolean() })),
});
const Created = z.object({ key: Key });
const Issue = z.object({ key: Key, fields: z.object({ status: Status }) });
const Found = z.object({
  issues: z.array(z.object({ key: Key, fields: z.object({ description: z.unknown().optional() }) })),
  nextPageToken: z.string().max(10_000).nullish(),
});
const Transitions = z.object({
  transitions: z.array(
    z.object({
      id: z.string().max(100),
      to: Status,
      fields: z
        .record(z.string(), z.object({ required: z.boolean(), hasDefaultValue: z.boolean().optional() }))
        .optional(),
    }),
  ),
});

type Transition = z.output<typeof Transitions>['transitions'][number];

/** The key of the category of statuses that end the work on an issue. Its name can be changed. */
const DONE = 'done';

const isDone = ({ statusCategory }: z.output<typeof Status>) => statusCategory.key === DONE;

const nameOf = ({ name }: z.output<typeof Status>) => inLine(name, 100);

/** The text of a description, which is a tree in Jira Cloud. One that is nested too deeply has no marker. */
function textOf(description: unknown): string {
  try {
    return JSON.stringify(description) ?? '';
  } catch {
    return '';
  }
}

const needsFields = ({ fields = {} }: Transition) =>
  Object.values(fields).some(({ required, hasDefaultValue }) => required && !hasDefaultValue);

const NEEDED = {
  CREATE_ISSUES: 'create issues',
  ADD_COMMENTS: 'add comments',
  TRANSITION_ISSUES: 'transition issues',
};

/**
 * Issues of a Jira project: of Jira Cloud (REST API v3) with the API token of an account, or of Jira Data Center (REST API v2) with a
 * personal access token.
 */
export function createJira(settings: TrackerSettings, tools: TrackerTools): Tracker {
  const { url, project, labels, issueType = 'Task', email, token } = settings;
  const isCloud = email !== undefined;
  const basic = Buffer.from(`${email}:${token}`).toString('base64');
  const call = createCalls(tools, {
    base: `${url}/rest/api/${isCloud ? 3 : 2}`,
    headers: { accept: 'application/json', authorization: isCloud ? `Basic ${basic}` : `Bearer ${token}` },
    secrets: [token, basic],
  });
  const toText = (...content: Parameters<typeof toAdf>) =>
    isCloud ? toAdf(...content) : toWikiText(...content);

  /** Get project. */
  const readProject = async () => (await call('GET', `/project/${project}`, Project)).data;

  /** Get issue. Jira answers for an issue that was moved, with its new key. */
  async function read(key: string): Promise<TrackerIssue> {
    const query = { fields: 'status' };
    const { data } = await withIssue(key, () => call('GET', `/issue/${key}`, Issue, { query }), readProject);
    if (data.key !== key)
      throw new TrackerError('moved', `The issue ${key} was moved. It is ${data.key} now.`);
    const { status } = data.fields;
    const isClosed = isDone(status);
    return { key, isClosed, isCompleted: isClosed, status: nameOf(status) };
  }

  /** Get transitions, and transition issue: to a status of a category, without fields that somebody would have to enter. @returns the status */
  async function transition(key: string, toDone: boolean): Promise<string> {
    const { isClosed, status } = await read(key);
    if (isClosed === toDone) return status;
    const path = `/issue/${key}/transitions`;
    const { data } = await call('GET', path, Transitions, { query: { expand: 'transitions.fields' } });
    const leading = data.transitions.filter(({ to }) => isDone(to) === toDone);
    // A reopened issue is not in progress, if the workflow has another status.
    const isNew = ({ to }: Transition) => to.statusCategory.key === 'new';
    const usable = leading.filter((candidate) => !needsFields(candidate));
    const chosen = usable.find(isNew) ?? usable[0];
    if (!chosen) {
      const missing = leading.length > 0 ? ' without required fields' : '';
      const goal = toDone ? 'of the category "Done"' : 'of another category than "Done"';
      throw new TrackerError(
        'refused',
        `The workflow has no transition of ${key}${missing} to a status ${goal}.`,
      );
    }
    await call('POST', path, z.unknown(), { body: { transition: { id: chosen.id } } });
    return nameOf(chosen.to);
  }

  return {
    /** Get project, and get my permissions. */
    async check() {
      const { issueTypes } = await readProject();
      if (!issueTypes.some(({ name, subtask }) => name === issueType && !subtask))
        throw new TrackerError('refused', `The project ${project} has no issue type "${issueType}".`);
      const query = { projectKey: project, permissions: Object.keys(NEEDED).join(',') };
      const { permissions } = (await call('GET', '/mypermissions', Permissions, { query })).data;
      const missing = Object.entries(NEEDED).filter(([key]) => !permissions[key]?.havePermission);
      if (missing.length > 0) {
        const names = missing.map(([, name]) => name).join(', ');
        throw new TrackerError(
          'forbidden',
          `The account may not do this in the project ${project}: ${names}.`,
        );
      }
      return {};
    },
    keyOf(text) {
      const [, key = ''] = /^\/browse\/([A-Z][\w-]*)\/?$/.exec(pathIn(url, text)) ?? [];
      return KEY.test(key) && key.startsWith(`${project}-`) ? key : undefined;
    },
    urlOf: (key) => `${url}/browse/${key}`,
    /** Search for issues using JQL. The index may be some seconds behind, so a new issue is not searched for in the first minute. */
    async find(marker, since) {
      const now = tools.clock().getTime();
      const retryAt = new Date(since.getTime() + INDEXED_MS);
      if (now < retryAt.getTime()) throw new TrackerError('later', NOT_INDEXED, { retryAt });
      const minutes = Math.ceil((now - markedSince(since).getTime()) / MINUTE_MS);
      const jql = `project = "${project}" AND creator = currentUser() AND created >= "-${minutes}m" ORDER BY created DESC`;
      const search = { jql, fields: ['description'], maxResults: PAGE_ISSUES };
      return await findMarked(jiraMarker(marker), async (next) => {
        const { data } = isCloud
          ? await call('POST', '/search/jql', Found, {
              body: { ...search, ...(next && { nextPageToken: next }) },
            })
          : await call('POST', '/search', Found, { body: { ...search, startAt: Number(next ?? 0) } });
        const isFull = data.issues.length === PAGE_ISSUES;
        return {
          issues: data.issues.map(({ key, fields }) => ({ key, text: textOf(fields.description) })),
          next: isCloud
            ? (data.nextPageToken ?? undefined)
            : isFull
              ? String(Number(next ?? 0) + PAGE_ISSUES)
              : undefined,
        };
      });
    },
    /** Create issue. */
    async create(issue) {
      const fields = {
        ...{ project: { key: project }, issuetype: { name: issueType } },
        summary: plainTitle(issue.title),
        description: toText(issue.blocks, issue.marker),
        // A label cannot contain spaces. Projects without the field refuse an empty list, too.
        ...(labels.length > 0 && { labels: labels.map((label) => label.replaceAll(/\s+/g, '-')) }),
      };
      return (await call('POST', '/issue', Created, { body: { fields } })).data.key;
    },
    read,
    /** Add comment. */
    async comment(key, blocks) {
      const body = { body: toText(blocks) };
      await withIssue(key, () => call('POST', `/issue/${key}/comment`, z.unknown(), { body }), readProject);
    },
    close: (key) => transition(key, true),
    reopen: (key) => transition(key, false),
  };
}
