import { expect, vi } from 'vitest';
import { purgeOrgs } from '../../../lib/maintenance/purge-orgs.ts';
import { recheckAllIssues } from '../../../lib/maintenance/recheck-issues.ts';
import {
  type CallOptions,
  createOrg,
  createScan,
  must,
  PASSWORD,
  push,
  type TestOrg,
} from '../../support/api/api.ts';
import type { TestApp } from '../../support/server/app.ts';
import { type FakeGithub, type GithubIssue, startGithub } from '../../support/trackers/github.ts';

export const TOKEN = 'secret-token-0123456789';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** Environment of an app whose trackers are on loopback. */
export const ENV = {
  SVC_ENCRYPTION_KEY: 'an encryption key of the tests with 32 bytes',
  SVC_OUTBOUND_ALLOW: '127.0.0.1',
};

type Answer = ReturnType<TestApp['api']['post']>;
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
type Any = any;

/** An organization with a scan, and with an integration over a fake of GitHub. */
export interface IssueWorld {
  org: TestOrg;
  github: FakeGithub;
  scan: string;
  integration: string;
  /** Reports a finding. @returns its id */
  report(fields?: object, scan?: string): Promise<string>;
  /** Reports a finding that has an open issue. @returns its id */
  withIssue(fields?: object): Promise<string>;
  /** Completes the first scan. */
  complete(): Promise<void>;
  /** Begins another scan and reports one finding, which regresses if it is resolved. @returns the scan */
  regress(fields: object): Promise<string>;
  /** Completes another scan that reports one finding. */
  scanAgain(fields: object): Promise<void>;
  triage(finding: string, body: object): Promise<void>;
  find(finding: string): Promise<Any>;
  statusOf(finding: string): Promise<string>;
  /** Asks for an issue of a finding. */
  request(finding: string, body?: object, as?: CallOptions): Answer;
  /** Asks for one issue of several findings. */
  many(findings: string[], body?: object, as?: CallOptions): Answer;
  unlink(finding: string, issue: string, as?: CallOptions): Answer;
  issues(finding: string, as?: CallOptions): Promise<Any[]>;
  /** Waits until the first issue of a finding has a state. @returns the issue */
  inState(finding: string, state: string): Promise<Any>;
  /** The first issue at the tracker. */
  first(): GithubIssue | undefined;
  /** Changes the first issue at the tracker. */
  edit(fields: Partial<GithubIssue>): void;
  /** How many comments the first issue has at the tracker. */
  comments(): number | undefined;
  integrations(): Promise<Any[]>;
  patch(body: object): Promise<void>;
  /** The entries of the audit log about issues, the newest first. */
  audit(): Promise<Any[]>;
  actions(): Promise<string[]>;
  /** Lets the outbox work until nothing is due, some time later. */
  later(ms: number): Promise<void>;
  /** Lets a few turns follow each other. */
  settle(): Promise<void>;
  /** Signs the owner in again, later. */
  signIn(): Promise<void>;
  /** Has issues read that were not read for a day. */
  nextDay(): Promise<void>;
  run(text: string, params?: unknown[]): Promise<Any[]>;
}

/** Makes an organization whose findings get issues. */
export async function createIssueWorld(t: TestApp): Promise<IssueWorld> {
  const { api, services } = t;
  const github = await startGithub(TOKEN, services.clock);
  const org = await createOrg(api);
  const scan = await createScan(api, org);
  const body = { kind: 'github', name: 'Web shop', url: github.url, project: 'acme/web-shop', token: TOKEN };
  const integration = must(await api.post('/integrations', { ...org.asOwner, body })).id as string;
  const issues: IssueWorld['issues'] = async (finding, as = org.asOwner) =>
    must(await api.get(`/findings/${finding}/issues`, as)).issues;
  const integrations = async () => must(await api.get('/integrations', org.asOwner));
  const audit = async () => must(await api.get('/audit?action=issue.created,issue.unlinked', org.asOwner));
  async function signIn() {
    const { cookie } = await api.post('/auth/login', {
      body: { email: org.owner.email, password: PASSWORD },
    });
    Object.assign(org.asOwner, { cookie });
  }
  async function complete(id: string) {
    must(await api.patch(`/agent/scans/${id}`, { ...org.asAgent, body: { status: 'completed' } }));
  }
  async function regress(fields: object) {
    t.advance(MINUTE_MS);
    const again = await createScan(api, org);
    await push(api, org, again, { ...fields });
    return again;
  }
  async function later(ms: number) {
    t.advance(ms);
    await services.outbox.run();
  }
  const report: IssueWorld['report'] = async (fields = {}, of = scan) =>
    (await push(api, org, of, { ...fields })).id;
  const request: IssueWorld['request'] = (finding, fields = {}, as = org.asOwner) =>
    api.post(`/findings/${finding}/issues`, { ...as, body: { integration_id: integration, ...fields } });
  const inState: IssueWorld['inState'] = async (finding, state) => {
    let issue: Any;
    // A run that has begun before does not publish what a test writes itself.
    await vi.waitFor(async () => {
      await services.outbox.run();
      [issue] = await issues(finding);
      expect(issue?.state).toBe(state);
    });
    return issue;
  };
  return {
    ...{ report, request, inState },
    async withIssue(fields) {
      const finding = await report(fields);
      must(await request(finding));
      await inState(finding, 'open');
      return finding;
    },
    ...{ org, github, scan, integration, issues, integrations, audit, signIn, later },
    actions: async () => (await audit()).map(({ action }: { action: string }) => action),
    first: () => github.issues[0],
    edit: (fields) => Object.assign(github.issues[0] ?? {}, fields),
    comments: () => github.issues[0]?.comments.length,
    async settle() {
      for (let i = 0; i < 3; i++) await later(MINUTE_MS);
    },
    async nextDay() {
      t.advance(25 * HOUR_MS);
      await signIn();
      await purgeOrgs(services);
      await recheckAllIssues(services);
    },
    complete: () => complete(scan),
    regress,
    scanAgain: async (fields) => await complete(await regress(fields)),
    async triage(finding, changes) {
      must(await api.patch(`/findings/${finding}`, { ...org.asOwner, body: changes }));
    },
    find: async (finding) => must(await api.get(`/findings/${finding}`, org.asOwner)),
    statusOf: async (finding) => must(await api.get(`/findings/${finding}`, org.asOwner)).status,
    many: (finding_ids, fields = {}, as = org.asOwner) =>
      api.post('/findings/issues', {
        ...as,
        body: { finding_ids, integration_id: integration, ...fields },
      }),
    unlink: (finding, issue, as = org.asOwner) => api.delete(`/findings/${finding}/issues/${issue}`, as),
    patch: async (changes) => {
      must(await api.patch(`/integrations/${integration}`, { ...org.asOwner, body: changes }));
    },
    run: (text, params = []) =>
      services.database.sql.unsafe(
        text.replaceAll('ORG', `"org_${org.id.replaceAll('-', '')}"`),
        params as never[],
      ),
  };
}
