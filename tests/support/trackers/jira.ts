import { ADF } from './adf.ts';
import { type FakeTracker, object, startFake } from './fake.ts';
import { vendorCheck } from './vendor.ts';

const CATEGORIES = {
  'To Do': 'new',
  'In Progress': 'indeterminate',
  Done: 'done',
  Declined: 'done',
} as const;
export type JiraStatus = keyof typeof CATEGORIES;

/** An issue of the fake. */
export interface JiraIssue {
  key: string;
  summary: string;
  /** A tree in Jira Cloud, and a text in Jira Data Center. */
  description: unknown;
  labels: string[];
  status: JiraStatus;
  /** Jira sets it by the workflow; an issue can have one and be open. */
  resolution: string | null;
  comments: unknown[];
  /** The key before it was moved. */
  formerKey?: string;
  isDeleted?: boolean;
}

/** A transition of the workflow, from any status. */
export interface JiraTransition {
  id: string;
  to: JiraStatus;
  /** A field that somebody has to enter. */
  requires?: string;
}

export interface FakeJira extends FakeTracker {
  issues: JiraIssue[];
  transitions: JiraTransition[];
  permissions: Record<string, boolean>;
  isProjectVisible: boolean;
}

const text = (max: number) => ({ type: 'string', minLength: 1, maxLength: max });
const MARKED = 'creator = currentUser\\(\\) AND created >= "-\\d+m" ORDER BY created DESC';

/** Jira Data Center publishes none. */
const vendor = vendorCheck('jira.json', '/rest/api/3');

/** Jira Cloud if there is an account, otherwise Data Center. The project is `WEB`. */
export async function startJira(token: string, email?: string): Promise<FakeJira> {
  const isCloud = email !== undefined;
  const content = isCloud ? ADF : text(32_767);
  const state: Omit<FakeJira, keyof FakeTracker> = {
    ...{ issues: [], isProjectVisible: true },
    transitions: [
      { id: '11', to: 'To Do' },
      { id: '21', to: 'In Progress' },
      { id: '31', to: 'Done' },
    ],
    permissions: { CREATE_ISSUES: true, ADD_COMMENTS: true, TRANSITION_ISSUES: true },
  };
  const notFound = {
    status: 404,
    body: { errorMessages: ['Issue does not exist or you do not have permission to see it.'], errors: {} },
  };
  const statusOf = (name: JiraStatus) => ({
    name,
    statusCategory: { id: 1, key: CATEGORIES[name], name: 'x' },
  });
  const shown = ({ key, status, resolution, description }: JiraIssue) => ({
    ...{ id: '1', key },
    fields: { status: statusOf(status), resolution, description },
  });

  function withIssue(
    key: string | undefined,
    answer: (issue: JiraIssue) => object | undefined,
    status = 200,
  ) {
    const issue = state.issues.find(
      (issue) => !issue.isDeleted && (issue.key === key || issue.formerKey === key),
    );
    return issue && fake.isProjectVisible ? { status, body: answer(issue) } : notFound;
  }

  function found(from: number, max: number) {
    const issues = fake.issues.filter(({ isDeleted }) => !isDeleted).reverse();
    return { issues: issues.slice(from, from + max).map(shown), isMore: issues.length > from + max };
  }

  const server = await startFake({
    root: `/rest/api/${isCloud ? 3 : 2}`,
    vendor: isCloud ? vendor : undefined,
    headers: {
      accept: 'application/json',
      authorization: isCloud
        ? `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`
        : `Bearer ${token}`,
    },
    operations: [
      {
        ...{ method: 'GET', path: '/project/{key}' },
        answer: ({ params: [key] }) =>
          key === 'WEB' && fake.isProjectVisible
            ? {
                status: 200,
                body: {
                  key,
                  issueTypes: [
                    { name: 'Task', subtask: false },
                    { name: 'Sub-task', subtask: true },
                  ],
                },
              }
            : {
                status: 404,
                body: { errorMessages: [`No project could be found with key '${key}'.`], errors: {} },
              },
      },
      {
        ...{ method: 'GET', path: '/mypermissions' },
        query: object({
          projectKey: { const: 'WEB' },
          permissions: { type: 'string', pattern: '^[A-Z_]+(?:,[A-Z_]+)*$' },
        }),
        answer: ({ query: { permissions = '' } }) => ({
          status: 200,
          body: {
            permissions: Object.fromEntries(
              permissions
                .split(',')
                .map((key) => [key, { key, havePermission: fake.permissions[key] ?? false }]),
            ),
          },
        }),
      },
      {
        ...{ method: 'POST', path: isCloud ? '/search/jql' : '/search' },
        body: object({
          jql: { type: 'string', pattern: `^project = "WEB" AND ${MARKED}$` },
          fields: { type: 'array', items: { const: 'description' } },
          maxResults: { type: 'integer', minimum: 1, maximum: 100 },
          ...(isCloud ? { 'nextPageToken?': text(100) } : { startAt: { type: 'integer', minimum: 0 } }),
        }),
        answer: ({ body: { maxResults, startAt, nextPageToken } }) => {
          const from = startAt ?? Number(nextPageToken ?? 0);
          const { issues, isMore } = found(from, maxResults);
          const next = isCloud && isMore && { nextPageToken: String(from + maxResults) };
          return { status: 200, body: { issues, ...next } };
        },
      },
      {
        ...{ method: 'POST', path: '/issue' },
        body: object({
          fields: object({
            project: object({ key: { const: 'WEB' } }),
            issuetype: object({ name: text(60) }),
            summary: { type: 'string', pattern: '^[^\\n\\r]{1,255}$' },
            description: content,
            'labels?': { type: 'array', minItems: 1, items: { type: 'string', pattern: '^\\S{1,255}$' } },
          }),
        }),
        answer: ({ body: { fields } }) => {
          const { summary, description, labels = [] } = fields;
          const key = `WEB-${fake.issues.length + 1}`;
          fake.issues.push({
            key,
            summary,
            description,
            labels,
            status: 'To Do',
            resolution: null,
            comments: [],
          });
          return { status: 201, body: { id: '1', key, self: `${fake.url}/x` } };
        },
      },
      {
        ...{ method: 'GET', path: '/issue/{key}' },
        query: object({ fields: { const: 'status' } }),
        answer: ({ params }) => withIssue(params[0], shown),
      },
      {
        ...{ method: 'POST', path: '/issue/{key}/comment' },
        body: object({ body: content }),
        answer: ({ params, body }) =>
          withIssue(params[0], (issue) => ({ id: String(issue.comments.push(body.body)) }), 201),
      },
      {
        ...{ method: 'GET', path: '/issue/{key}/transitions' },
        query: object({ expand: { const: 'transitions.fields' } }),
        answer: ({ params }) =>
          withIssue(params[0], () => ({
            transitions: fake.transitions.map(({ id, to, requires }) => ({
              ...{ id, name: `to ${to}`, to: statusOf(to) },
              fields: requires ? { [requires]: { required: true, hasDefaultValue: false } } : {},
            })),
          })),
      },
      {
        ...{ method: 'POST', path: '/issue/{key}/transitions' },
        body: object({ transition: object({ id: { type: 'string', pattern: '^\\d+$' } }) }),
        answer: ({ params, body }) =>
          withIssue(
            params[0],
            (issue) => {
              const chosen = fake.transitions.find(({ id }) => id === body.transition.id);
              if (chosen) issue.status = chosen.to;
              return undefined;
            },
            204,
          ),
      },
    ],
  });
  const fake: FakeJira = Object.assign(server, state);
  return fake;
}
