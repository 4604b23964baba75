import { type Answer, must, PASSWORD } from '../api/api.ts';
import type { Stop, Traveller } from './traveller.ts';

/** Calls of all endpoints of an organization, in this order. */
export function planOrgTour(on: Traveller) {
  const all = (calls: Promise<Answer>[]) => Promise.all(calls);
  const finding = (fields: object) => ({
    scan_id: 'nightly',
    project_id: on.made.project,
    fingerprint: 'sqli',
    title: 'SQL injection',
    severity: 'high',
    description: 'User input reaches the query.',
    ...fields,
  });
  const push = (fields: object = {}) =>
    on.api.post('/agent/findings', { ...on.asAgent(), body: finding(fields) });
  const scan = (scan_id: string) =>
    on.api.post('/agent/scans', {
      ...on.asAgent(),
      body: { scan_id, project_id: on.made.project, persona: 'senku', target: { ref: 'main' } },
    });

  return {
    createOrg: () => on.api.post('/orgs', { ...on.asUser(), body: { name: 'Acme', slug: 'acme' } }),
    listOrgs: () => on.api.get('/orgs', on.asUser()),
    getOrg: () => on.api.get('/orgs/acme', on.asUser()),
    listFeatures: () => on.api.get('/config/features', on.asUser()),
    authConfig: () => on.api.get('/config/auth'),

    async createProject() {
      const answer = await on.api.post('/projects', { ...on.asOwner(), body: { name: 'Web shop' } });
      on.keep('project', must(answer).id);
      return answer;
    },
    listProjects: () => on.api.get('/projects', on.asOwner()),
    getProject: () =>
      all([
        on.api.get('/projects/web-shop', on.asOwner()),
        on.api.get(`/projects/${on.made.project}`, on.asOwner()),
      ]),
    async createProjectToken() {
      const body = { name: 'ci', expires_in: 30 };
      const answer = await on.api.post(`/projects/${on.made.project}/tokens`, { ...on.asOwner(), body });
      on.keep('token', must(answer).token);
      on.keep('tokenId', must(answer).info.id);
      return answer;
    },
    listProjectTokens: () => on.api.get(`/projects/${on.made.project}/tokens`, on.asOwner()),

    registerScan: async () => [await scan('nightly'), await scan('weekly')],
    async pushFinding() {
      const first = await push();
      on.keep('finding', must(first).id);
      const again = await push({ severity: 'critical' });
      // The finding takes a new fingerprint, and the old one again.
      const renamed = await push({ fingerprint: 'sqli-2', previous_fingerprints: ['none', 'sqli'] });
      const renamedBack = await push({ scan_id: 'weekly', previous_fingerprints: ['sqli-2'] });
      return [first, again, renamed, renamedBack];
    },
    async pushFindings() {
      const findings = [finding({}), finding({ fingerprint: 'fresh' }), finding({ title: '' }), {}];
      const send = (body: object, headers = {}) =>
        on.api.post('/agent/findings/batch', { ...on.asAgent(), body, headers });
      const key = { 'idempotency-key': 'first' };
      const first = await send({ findings }, key);
      return [first, await send({ findings }, key)];
    },
    listAgentFindings: () =>
      all(
        ['', '&page=1', '&status=open,fixed&severity=critical&page=1'].map((query) =>
          on.api.get(`/agent/findings?project_id=${on.made.project}${query}`, on.asAgent()),
        ),
      ),
    updateAgentFinding: () =>
      on.api.patch(`/agent/findings/${on.made.finding}`, { ...on.asAgent(), body: { status: 'verified' } }),
    async attachExploit() {
      const body = { filename: 'poc.py', language: 'python', code: 'print(1)' };
      const answer = await on.api.post(`/agent/findings/${on.made.finding}/exploits`, {
        ...on.asAgent(),
        body,
      });
      on.keep('exploit', must(answer).id);
      return answer;
    },
    async endScan() {
      const end = (id: string, body: object) => on.api.patch(`/agent/scans/${id}`, { ...on.asAgent(), body });
      return [
        await end('nightly', { status: 'completed' }),
        await end('weekly', { status: 'failed', error_message: 'gave up' }),
        // After the end of its scan: the summary is recomputed.
        await push({ fingerprint: 'xss' }),
      ];
    },
    scanGone: () =>
      all(
        ['nightly', 'weekly'].map((id) => on.api.get(`/agent/scans/${id}/gone?source=semgrep`, on.asAgent())),
      ),

    listScans: () =>
      all(
        ['', 'page=1', `project_id=${on.made.project}&status=running,failed`, 'status=failed&page=1'].map(
          (query) => on.api.get(`/scans?${query}`, on.asOwner()),
        ),
      ),
    getScan: () => on.api.get('/scans/nightly', on.asOwner()),
    scanChanges: () =>
      all(
        ['weekly/changes', 'weekly/changes?against=nightly', 'nightly/changes'].map((path) =>
          on.api.get(`/scans/${path}`, on.asOwner()),
        ),
      ),
    listFindings: () =>
      all(
        [
          ...[
            '',
            'page=1',
            'page=2&per_page=1',
            `project_id=${on.made.project}`,
            'scan_id=weekly',
            'q=sql+input',
          ],
          ...['severity=high,low&page=1', 'status=open,fixed&page=1', 'cwe=CWE-89&page=1', 'q=sql&page=1'],
          ...['new', 'seen_again', 'gone'].flatMap((change) =>
            ['', '&page=1'].map((page) => `scan_id=weekly&against=nightly&change=${change}${page}`),
          ),
          ...['json', 'csv', 'sarif', 'csv&page=1', 'sarif&page=1', 'csv&sort=cvss_score&page=1'].map(
            (format) => `format=${format}`,
          ),
          ...['omit=description', 'omit=description&page=1', 'omit=description&format=sarif'],
          ...['scan_id=weekly&page=1', `project_id=${on.made.project}&severity=high&page=1`],
          ...['created_at', 'last_seen_at', 'severity', 'cvss_score'].flatMap((key) =>
            [key, `-${key}`].flatMap((sort) => [`sort=${sort}`, `sort=${sort}&page=1`]),
          ),
        ].map((query) => on.api.get(`/findings?${query}`, on.asOwner())),
      ),
    getFinding: () => on.api.get(`/findings/${on.made.finding}`, on.asOwner()),
    updateFinding: () =>
      on.api.patch(`/findings/${on.made.finding}`, { ...on.asOwner(), body: { status: 'fixed' } }),
    async updateFindings() {
      const triage = (...changes: object[]) =>
        on.api.patch('/findings', { ...on.asOwner(), body: { changes } });
      const change = { id: on.made.finding, status: 'open' };
      return [await triage(change), await triage({ ...change, status: 'fixed' }, { ...change, id: 'none' })];
    },
    listExploits: () => on.api.get(`/findings/${on.made.finding}/exploits`, on.asOwner()),
    getExploit: () => on.api.get(`/findings/${on.made.finding}/exploits/${on.made.exploit}`, on.asOwner()),
    dashboardStats: () => on.api.get('/dashboard/stats', on.asOwner()),
    dashboardTrend: () =>
      all(['', '?days=365'].map((query) => on.api.get(`/dashboard/trend${query}`, on.asOwner()))),
    dashboardProjects: () => on.api.get('/dashboard/projects', on.asOwner()),

    updateOrgFeature: () =>
      on.api.patch('/org-features/org_wide_tokens', { ...on.asOwner(), body: { enabled: true } }),
    listOrgFeatures: () => on.api.get('/org-features', on.asOwner()),
    async createToken() {
      const answer = await on.api.post('/tokens', { ...on.asOwner(), body: { name: 'everywhere' } });
      on.keep('wideTokenId', must(answer).info.id);
      return answer;
    },
    listTokens: () => on.api.get('/tokens', on.asOwner()),
    revokeToken: () => on.api.delete(`/tokens/${on.made.wideTokenId}`, on.asOwner()),
    revokeProjectToken: () =>
      on.api.delete(`/projects/${on.made.project}/tokens/${on.made.tokenId}`, on.asOwner()),

    getSecuritySettings: () => on.api.get('/settings/security', on.asOwner()),
    updateSecuritySettings: () =>
      on.api.patch('/settings/security', { ...on.asOwner(), body: { viewer_tokens_verify: false } }),

    async inviteMember() {
      const body = { email: 'grace@example.com', role: 'member' };
      const answer = await on.api.post('/members/invite', { ...on.asOwner(), body });
      on.keep('member', must(answer).user_id ?? must(answer).id);
      return answer;
    },
    listMembers: () => on.api.get('/members', on.asOwner()),
    resendInvitation: () => on.api.post(`/members/${on.made.member}/resend-invitation`, on.asOwner()),
    updateMember: () =>
      on.api.patch(`/members/${on.made.member}`, { ...on.asOwner(), body: { role: 'viewer' } }),
    async leaveOrg() {
      const guest = 'guest@example.com';
      const body = { email: guest, password: PASSWORD, name: 'Guest' };
      const { cookie: as } = await on.api.post('/auth/register', { body });
      must(await on.api.post('/members/invite', { ...on.asOwner(), body: { email: guest, role: 'viewer' } }));
      return on.api.post('/members/leave', { cookie: as, org: 'acme' });
    },
    removeMember: () => on.api.delete(`/members/${on.made.member}`, on.asOwner()),
  } satisfies Record<string, Stop>;
}
