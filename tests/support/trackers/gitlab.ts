import { type FakeTracker, object, startFake, type TrackerRequest } from './fake.ts';
import { vendorCheck } from './vendor.ts';

/** An issue of the fake. */
export interface GitlabIssue {
  iid: number;
  title: string;
  description: string;
  labels: string[];
  state: 'opened' | 'closed';
  created_at: string;
  moved_to_id: number | null;
  notes: string[];
  isDeleted?: boolean;
}

export interface FakeGitlab extends FakeTracker {
  issues: GitlabIssue[];
  project: { issues_enabled: boolean; archived: boolean };
  token: { scopes: string[]; expires_at: string | null };
  /** Commands (quick actions) in texts that were sent. */
  commands: string[];
}

const text = (max: number) => ({ type: 'string', minLength: 1, maxLength: max });

/** Commands that GitLab finds in a text: lines with a slash at the beginning, outside of code blocks that it finds in its own way. */
export const commandsIn = (text: string): string[] =>
  text
    .replaceAll('\r', '')
    .replaceAll(/^```[\s\S]+?\n```$/gm, '')
    .split('\n')
    .filter((line) => /^\/[a-z]/i.test(line));

const vendor = vendorCheck('gitlab.yaml', '/api/v4');

/** GitLab with the project `acme/web-shop`. @param now the time of new issues */
export async function startGitlab(secret: string, now: () => Date): Promise<FakeGitlab> {
  const issues: GitlabIssue[] = [];
  const commands: string[] = [];
  const project = { issues_enabled: true, archived: false };
  const token: FakeGitlab['token'] = { scopes: ['api'], expires_at: null };
  const notFound = (what: string) => ({ status: 404, body: { message: `404 ${what} Not Found` } });

  function withIssue(
    { params: [path, iid] }: TrackerRequest,
    answer: (issue: GitlabIssue) => object,
    status = 200,
  ) {
    if (path !== 'acme/web-shop') return notFound('Project');
    const issue = issues.find((issue) => String(issue.iid) === iid && !issue.isDeleted);
    return issue ? { status, body: answer(issue) } : notFound('Issue');
  }

  const fake = await startFake({
    root: '/api/v4',
    vendor,
    headers: { authorization: `Bearer ${secret}` },
    operations: [
      {
        ...{ method: 'GET', path: '/personal_access_tokens/self' },
        answer: () => ({ status: 200, body: { id: 7, active: true, ...token } }),
      },
      {
        ...{ method: 'GET', path: '/projects/{id}' },
        answer: ({ params: [path] }) =>
          path === 'acme/web-shop' ? { status: 200, body: { id: 1, ...project } } : notFound('Project'),
      },
      {
        ...{ method: 'GET', path: '/projects/{id}/issues' },
        query: object({
          scope: { enum: ['created_by_me', 'assigned_to_me', 'all'] },
          order_by: { enum: ['created_at', 'updated_at'] },
          sort: { enum: ['asc', 'desc'] },
          created_after: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$' },
          per_page: { type: 'string', pattern: '^(?:100|[1-9]\\d?)$' },
          page: { type: 'string', pattern: '^[1-9]\\d*$' },
        }),
        answer: ({ query: { created_after = '', per_page, page } }) => {
          const found = issues
            .filter((issue) => !issue.isDeleted && issue.created_at > created_after)
            .reverse();
          const from = (Number(page) - 1) * Number(per_page);
          return { status: 200, body: found.slice(from, from + Number(per_page)) };
        },
      },
      {
        ...{ method: 'POST', path: '/projects/{id}/issues' },
        body: object({
          title: text(255),
          description: text(1_048_576),
          'labels?': { type: 'array', items: { type: 'string', pattern: '^[^,]+$' }, minItems: 1 },
        }),
        answer: ({ body: { title, description, labels = [] } }) => {
          commands.push(...commandsIn(description));
          const issue: GitlabIssue = {
            ...{ iid: issues.length + 1, title, description, labels },
            ...{ state: 'opened', created_at: now().toISOString(), moved_to_id: null, notes: [] },
          };
          issues.push(issue);
          return { status: 201, body: issue };
        },
      },
      {
        ...{ method: 'GET', path: '/projects/{id}/issues/{iid}' },
        answer: (request) => withIssue(request, (issue) => issue),
      },
      {
        ...{ method: 'PUT', path: '/projects/{id}/issues/{iid}' },
        body: object({ state_event: { enum: ['reopen', 'close'] } }),
        answer: (request) =>
          withIssue(request, (issue) => {
            issue.state = request.body.state_event === 'close' ? 'closed' : 'opened';
            return issue;
          }),
      },
      {
        ...{ method: 'POST', path: '/projects/{id}/issues/{iid}/notes' },
        body: object({ body: text(1_000_000) }),
        answer: (request) =>
          withIssue(
            request,
            (issue) => {
              commands.push(...commandsIn(request.body.body));
              return { id: issue.notes.push(request.body.body), body: request.body.body };
            },
            201,
          ),
      },
    ],
  });
  return Object.assign(fake, { issues, project, token, commands });
}
