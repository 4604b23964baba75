import { type FakeTracker, object, startFake } from './fake.ts';
import { vendorCheck } from './vendor.ts';

/** An issue of the fake. */
export interface GithubIssue {
  number: number;
  title: string;
  body: string | null;
  labels: string[];
  state: string;
  state_reason: string | null;
  created_at: string;
  pull_request?: object;
  comments: string[];
  /** Unset: the account of the token has created it. */
  by?: string;
  /** Deleted: 410. Transferred: 301. */
  is?: 'deleted' | 'transferred' | undefined;
}

export interface FakeGithub extends FakeTracker {
  issues: GithubIssue[];
  repository: { has_issues: boolean; archived: boolean };
  /** The expiry that responses name. */
  expiry?: string;
}

const text = (max: number) => ({ type: 'string', minLength: 1, maxLength: max });
const REPOSITORY = '/repos/acme/web-shop';
/** The account of the token. */
const LOGIN = 'svc';
const NUMBER = { type: 'string', pattern: '^[1-9]\\d{0,2}$' };

const vendor = vendorCheck('github.json', '');

/** GitHub Enterprise Server, with the repository `acme/web-shop`. @param now the time of new issues */
export async function startGithub(token: string, now: () => Date): Promise<FakeGithub> {
  const issues: GithubIssue[] = [];
  const repository = { has_issues: true, archived: false };
  const notFound = { status: 404, body: { message: 'Not Found', status: '404' } };

  function withIssue(number: string | undefined, answer: (issue: GithubIssue) => object, status = 200) {
    if (!repository.has_issues)
      return { status: 410, body: { message: 'Issues has been disabled in this repository.' } };
    const issue = issues.find((issue) => String(issue.number) === number);
    if (!issue) return notFound;
    if (issue.is === 'deleted') return { status: 410, body: { message: 'This issue was deleted' } };
    if (issue.is === 'transferred')
      return { status: 301, headers: { location: `${fake.url}/api/v3/repositories/2/issues/1` } };
    return { status, body: answer(issue) };
  }

  const fake: FakeTracker = await startFake({
    root: '/api/v3',
    vendor,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    operations: [
      { ...{ method: 'GET', path: '/user' }, answer: () => ({ status: 200, body: { id: 7, login: LOGIN } }) },
      {
        ...{ method: 'GET', path: REPOSITORY },
        answer: () => ({
          status: 200,
          body: { id: 1, full_name: 'acme/web-shop', ...repository },
          ...(github.expiry && { headers: { 'github-authentication-token-expiration': github.expiry } }),
        }),
      },
      {
        ...{ method: 'GET', path: `${REPOSITORY}/issues` },
        query: object({
          'state?': { enum: ['open', 'closed', 'all'] },
          'sort?': { enum: ['created', 'updated', 'comments'] },
          'direction?': { enum: ['asc', 'desc'] },
          'creator?': { const: LOGIN },
          'since?': { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$' },
          'per_page?': { type: 'string', pattern: '^(?:100|[1-9]\\d?)$' },
          'page?': NUMBER,
        }),
        answer: ({ query: { per_page = 30, page = 1, creator } }) => {
          const found = issues.filter(({ is, by = LOGIN }) => !is && (!creator || by === creator)).reverse();
          const from = (Number(page) - 1) * Number(per_page);
          return { status: 200, body: found.slice(from, from + Number(per_page)) };
        },
      },
      {
        ...{ method: 'POST', path: `${REPOSITORY}/issues` },
        body: object({
          title: text(256),
          body: text(65_536),
          labels: { type: 'array', items: text(50) },
        }),
        answer: ({ body }) => {
          const issue = {
            ...{ number: issues.length + 1, state: 'open', state_reason: null, comments: [] },
            created_at: now().toISOString(),
            ...(body as Pick<GithubIssue, 'title' | 'body' | 'labels'>),
          };
          issues.push(issue);
          return { status: 201, body: issue };
        },
      },
      {
        ...{ method: 'GET', path: `${REPOSITORY}/issues/{number}` },
        answer: ({ params }) => withIssue(params[0], (issue) => issue),
      },
      {
        ...{ method: 'PATCH', path: `${REPOSITORY}/issues/{number}` },
        body: object({
          state: { enum: ['open', 'closed'] },
          state_reason: { enum: ['completed', 'not_planned', 'duplicate', 'reopened'] },
        }),
        answer: ({ params, body }) => withIssue(params[0], (issue) => Object.assign(issue, body)),
      },
      {
        ...{ method: 'POST', path: `${REPOSITORY}/issues/{number}/comments` },
        body: object({ body: text(65_536) }),
        answer: ({ params, body }) =>
          withIssue(params[0], (issue) => ({ id: issue.comments.push(body.body), body: body.body }), 201),
      },
    ],
  });
  const github: FakeGithub = Object.assign(fake, { issues, repository });
  return github;
}
