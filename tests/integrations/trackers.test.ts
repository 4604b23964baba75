import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallOptions, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { startGithub } from '../support/trackers/github.ts';
import { startGitlab } from '../support/trackers/gitlab.ts';
import { startJira } from '../support/trackers/jira.ts';

/* Integrations with issue trackers: their settings, and the test of their access. */

const KEY = 'an encryption key of the tests with 32 bytes';
const TOKEN = 'secret-token-0123456789';
const GITHUB = {
  kind: 'github',
  name: 'Web shop',
  url: 'https://github.com',
  project: 'acme/web-shop',
  token: TOKEN,
};
const JIRA = {
  ...{ kind: 'jira', name: 'Tickets', url: 'https://acme.atlassian.net', project: 'WEB', token: TOKEN },
  ...{ email: 'ada@acme.example', issue_type: 'Bug', labels: ['security', 'from scanner'] },
};

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp({
    env: { SVC_ENCRYPTION_KEY: KEY, SVC_OUTBOUND_ALLOW: '127.0.0.1', SVC_MAX_MAILS_PER_HOUR: '1000' },
  });
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

const post = (body: object, as: CallOptions = org.asOwner) => t.api.post('/integrations', { ...as, body });
const patch = (id: string, body: object) => t.api.patch(`/integrations/${id}`, { ...org.asOwner, body });
const list = async () => must(await t.api.get('/integrations', org.asOwner));
const rowOf = async (id: string) =>
  (await t.services.database.sql.unsafe('select * from shared.destinations where id = $1', [id]))[0];
const openToken = async (id: string) =>
  await t.services.secretBox.open((await rowOf(id))?.secret, `destinations ${id}`);
const mailsToOwner = async () => {
  await t.services.mail.deliverDue();
  return t.mails.filter(({ recipient }) => recipient === org.owner.email);
};
const audit = async () => JSON.stringify(must(await t.api.get('/audit', org.asOwner)));

describe('a tracker', () => {
  it('has defaults, and is listed without its token', async () => {
    const made = must(await post({ ...GITHUB, url: 'https://github.com/' }));
    const { token: _, ...shown } = GITHUB;
    expect(made).toEqual({
      ...{
        id: expect.any(String),
        ...shown,
        labels: [],
        on_resolved: 'close',
        on_closed: 'nothing',
        enabled: true,
      },
      ...{ created_at: expect.any(String), updated_at: made.created_at },
    });
    expect(await list()).toEqual([made]);
    expect((await rowOf(made.id))?.secret).toMatch(/^v2\./);
    expect(await openToken(made.id)).toBe(TOKEN);
    const jira = must(await post(JIRA));
    expect(jira).toMatchObject({ issue_type: 'Bug', email: 'ada@acme.example', labels: JIRA.labels });
    expect(must(await post({ ...JIRA, issue_type: null, email: null }))).toMatchObject({
      issue_type: 'Task',
    });
    for (const text of [JSON.stringify(await list()), await audit(), JSON.stringify(await mailsToOwner())])
      expect(text).not.toContain(TOKEN);
    // Entries of the audit log cannot be erased, so they have no personal data.
    expect(await audit()).not.toContain('ada@acme.example');
  });

  it.each<[string, object, string]>([
    ['no repository', { project: 'web-shop' }, 'project'],
    ['a path that leads elsewhere', { project: 'acme/..' }, 'project'],
    ['a query in the project', { project: 'acme/web?x' }, 'project'],
    ['a path as the key of a Jira project', { ...JIRA, project: 'WEB/../x' }, 'project'],
    [
      'one part as a GitLab project',
      { kind: 'gitlab', url: 'https://gitlab.com', project: 'acme' },
      'project',
    ],
    ['a query in the address', { url: 'https://github.com/?x=1' }, 'url'],
    ['a private address', { url: 'https://10.1.2.3' }, 'url'],
    ['plain http', { url: 'http://93.184.215.14' }, 'url'],
    ['a token with a line break', { token: 'a\r\nx-admin: 1' }, 'token'],
    ['no token', { token: undefined }, 'token'],
    ['a label with a comma', { labels: ['a,b'] }, 'labels.0'],
    ['a label twice', { labels: ['a', 'a'] }, 'labels'],
    ['11 labels', { labels: Array.from({ length: 11 }, (_, i) => `l${i}`) }, 'labels'],
    ['an account for GitHub', { email: 'ada@acme.example' }, 'email'],
    ['a type of issues for GitHub', { issue_type: 'Bug' }, 'issue_type'],
    ['an account with a colon', { ...JIRA, email: 'ada:x@acme.example' }, 'email'],
    ['a rule that does not exist', { on_closed: 'verify' }, 'on_closed'],
    ['an unknown kind', { kind: 'svn' }, 'kind'],
    ['a project of nobody', { project_ids: ['00000000-0000-7000-8000-000000000000'] }, 'project_ids.0'],
  ])('with %s is refused', async (_, body, field) => {
    const answer = await post({ ...GITHUB, ...body });
    expect([answer.status, answer.badFields]).toEqual([400, [field]]);
    expect(await list()).toEqual([]);
  });

  it('changes field by field, and only its own fields', async () => {
    const made = must(await post({ ...JIRA, project_ids: [org.projectId] }));
    const values = { labels: ['a'], issue_type: 'Task', on_closed: 'fixed' };
    const changed = must(await patch(made.id, { ...values, project_ids: null }));
    const { project_ids: _, ...others } = made;
    expect(changed).toEqual({ ...others, ...values, updated_at: expect.any(String) });
    expect(await openToken(made.id)).toBe(TOKEN);
    for (const body of [{ min_severity: 'high' }, { muted_project_ids: [org.projectId] }])
      expect((await patch(made.id, body)).badFields).toEqual(Object.keys(body));
    const slack = must(
      await post({ kind: 'slack', name: 'x', url: 'https://hooks.slack.com/services/T0/B0/x' }),
    );
    const ofTrackers = [{ token: TOKEN }, { project: 'a/b' }, { labels: [] }, { email: 'a@b.example' }];
    for (const body of [...ofTrackers, { on_closed: 'fixed' }])
      expect((await patch(slack.id, body)).badFields).toEqual(Object.keys(body));
    const github = must(await post(GITHUB));
    expect((await patch(github.id, { issue_type: 'Bug' })).badFields).toEqual(['issue_type']);
    expect((await patch(github.id, { project: 'x' })).badFields).toEqual(['project']);
  });

  it('keeps its token from another address', async () => {
    const { id } = must(await post(GITHUB));
    expect((await patch(id, { url: 'https://git.evil.example' })).badFields).toEqual(['token']);
    expect((await rowOf(id))?.url).toBe('https://github.com');
    expect((await patch(id, { project: 'ada/private' })).badFields).toEqual(['token']);
    const body = { url: 'https://git.acme.example', token: 'another-token-0123456789' };
    expect(must(await patch(id, body))).toMatchObject({ url: 'https://git.acme.example' });
    expect(await openToken(id)).toBe('another-token-0123456789');
    expect(await audit()).toContain('replaced');
    expect(await audit()).not.toContain('another-token');
    const subjects = (await mailsToOwner())
      .map(({ subject }) => subject)
      .filter((one) => /integration/.test(one));
    expect(subjects.map((one) => /^An integration was (\w+)/.exec(one)?.[1])).toEqual(['added', 'changed']);
  });

  it('needs a recent sign-in to change', async () => {
    const { id } = must(await post(GITHUB));
    t.advance(60 * 60_000);
    const answer = await patch(id, { token: 'another-token-0123456789' });
    expect([answer.status, await openToken(id)]).toEqual([403, TOKEN]);
  });
});

describe('a test of a tracker', () => {
  const outcome = async (id: string) => {
    must(await t.api.post(`/integrations/${id}/test`, org.asOwner));
    const read = async () => must(await t.api.get(`/integrations/${id}/deliveries`, org.asOwner))[0];
    await expect.poll(async () => (await read()).state).not.toBe('pending');
    return await read();
  };

  it('checks the access to GitHub', async () => {
    const fake = await startGithub(TOKEN, t.services.clock);
    const { id } = must(await post({ ...GITHUB, url: fake.url }));
    fake.expiry = '2030-12-31 09:00:00 UTC';
    expect(await outcome(id)).toMatchObject({
      ...{ state: 'delivered', status: 200 },
      response: 'The access is sufficient. The token expires on 2030-12-31.',
    });
    fake.intercept = () => ({ status: 401, body: { message: `Bad credentials ${TOKEN}` } });
    const failed = await outcome(id);
    expect(failed).toMatchObject({
      ...{ state: 'failed', status: 401 },
      error: `${fake.url} does not accept the token: Bad credentials …`,
    });
    // Nothing was created, and a failed test does not count.
    expect(fake.requests.every(({ method }) => method === 'GET')).toBe(true);
    expect((await list())[0]).not.toHaveProperty('failures');
  });

  it('checks the access to GitLab', async () => {
    const fake = await startGitlab(TOKEN, t.services.clock);
    const { id } = must(await post({ ...GITHUB, kind: 'gitlab', url: fake.url }));
    expect(await outcome(id)).toMatchObject({ state: 'delivered', response: 'The access is sufficient.' });
    fake.token.scopes = ['read_api'];
    expect(await outcome(id)).toMatchObject({
      state: 'failed',
      error: 'The token needs the scope `api` to create issues.',
    });
  });

  it.each([
    ['Cloud', 'ada@acme.example'],
    ['Data Center', undefined],
  ])('checks the access to Jira %s', async (_, email) => {
    const fake = await startJira(TOKEN, email);
    const { id } = must(await post({ ...JIRA, url: fake.url, issue_type: 'Task', email }));
    expect(await outcome(id)).toMatchObject({ state: 'delivered' });
    fake.permissions.CREATE_ISSUES = false;
    expect(await outcome(id)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('create issues'),
    });
  });

  it('says that the tracker cannot be reached', async () => {
    const { id } = must(await post({ ...GITHUB, url: 'http://127.0.0.1:1' }));
    expect(await outcome(id)).toMatchObject({
      state: 'failed',
      error: 'http://127.0.0.1:1 cannot be reached.',
    });
  });
});
