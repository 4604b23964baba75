import { expect } from 'vitest';
import { type CallOptions, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import type { TestApp } from '../support/server/app.ts';
import { type FakeGithub, startGithub } from '../support/trackers/github.ts';

export const TOKEN = 'secret-token-0123456789';

/** Environment of an app whose trackers are on loopback. */
export const ENV = {
  SVC_ENCRYPTION_KEY: 'an encryption key of the tests with 32 bytes',
  SVC_OUTBOUND_ALLOW: '127.0.0.1',
};

/** An organization with a scan, and with an integration over a fake of GitHub. */
export interface IssueWorld {
  org: TestOrg;
  github: FakeGithub;
  scan: string;
  integration: string;
  /** Reports a finding. @returns its id */
  report(fields?: object, scan?: string): Promise<string>;
  /** Asks for an issue of a finding. */
  request(finding: string, body?: object, as?: CallOptions): ReturnType<TestApp['api']['post']>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  issues(finding: string, as?: CallOptions): Promise<any[]>;
  /** Waits until the first issue of a finding has a state. @returns the issue */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  inState(finding: string, state: string): Promise<any>;
  patch(body: object): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: rows of any table
  run(text: string, params?: unknown[]): Promise<any[]>;
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
  return {
    ...{ org, github, scan, integration, issues },
    report: async (fields = {}, of = scan) => (await push(api, org, of, { ...fields })).id,
    request: (finding, fields = {}, as = org.asOwner) =>
      api.post(`/findings/${finding}/issues`, { ...as, body: { integration_id: integration, ...fields } }),
    async inState(finding, state) {
      await services.outbox.run();
      await expect.poll(async () => (await issues(finding))[0]?.state).toBe(state);
      return (await issues(finding))[0];
    },
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
