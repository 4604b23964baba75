import { type Answer, must, PASSWORD } from '../api/api.ts';
import { codeOf, type Liar, startLiar } from '../sso/liar.ts';
import { SPARE_EMAIL, type Stop, type Traveller } from './traveller.ts';

const REPORT = JSON.stringify({ findings: [{ title: 'Weak cipher', severity: 'low' }] });
const LARGE_REPORT = JSON.stringify({
  findings: Array.from({ length: 1_001 }, (_, i) => ({ title: `Weak cipher ${i}`, severity: 'low' })),
});

const ISSUER = 'https://login.acme.example';

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

  /** An admin whom an owner asks to become an owner. */
  const offered = async (email: string) => {
    const body = { email, password: PASSWORD, name: 'Heir' };
    const { cookie, result } = await on.api.post('/auth/register', { body });
    must(await on.api.post('/members/invite', { ...on.asOwner(), body: { email, role: 'admin' } }));
    // A day more: the tour has moved the clock of the app on.
    await on.t.services.database.sql.unsafe(
      `update shared.memberships m set owner_offer_until = now() + interval '8 days', owner_offer_by = o.created_by
        from shared.orgs o where o.id = m.org_id and o.slug = 'acme' and m.user_id = $1`,
      [result.user.id],
    );
    return { cookie, org: 'acme' };
  };

  let liar: Liar | undefined;
  /** A sign-in at the provider. */
  const bySso = async (claims: object) => {
    const started = await on.api.get(`/auth/sso/start?connection=${on.made.connection}`);
    return atProvider(claims, started, started.headers.get('location') ?? '');
  };
  const atProvider = (claims: object, started: Answer, url: string, session = '') => {
    const { searchParams } = new URL(url);
    const [flow = ''] = (started.headers.get('set-cookie') ?? '').split(';');
    const cookie = session === '' ? flow : `svc_token=${session}; ${flow}`;
    const code = codeOf({ nonce: searchParams.get('nonce'), ...claims });
    const query = new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: ISSUER });
    return on.api.get(`/auth/sso/callback?${query}`, { headers: { cookie } });
  };

  /** Lets the deliveries of a destination fail, so that they may be sent again at any speed of the machine. */
  const failDeliveries = async (destination: string) => {
    const { sql } = on.t.services.database;
    const [org] = await sql.unsafe("select id from shared.orgs where slug = 'acme'");
    const schema = `org_${org?.id.replaceAll('-', '')}`;
    await sql.unsafe(
      `update ${schema}.deliveries set state = 'failed', next_at = null, attempts = 9, tried_at = now(), duration_ms = 84,
        status = 500, response = 'oops', error = 'status 500' where destination_id = $1`,
      [destination],
    );
  };

  return {
    createOrg: () => on.api.post('/orgs', { ...on.asUser(), body: { name: 'Acme', slug: 'acme' } }),
    listOrgs: () => on.api.get('/orgs', on.asUser()),
    getOrg: () => on.api.get('/orgs/acme', on.asUser()),
    updateOrg: async () => {
      const change = (body: object) => on.api.patch('/orgs/acme', { ...on.asUser(), body });
      return [
        await change({ name: 'Acme' }),
        await change({ slug: 'acme-2' }),
        await change({ slug: 'acme' }),
      ];
    },
    async deleteOrg() {
      must(await on.api.post('/orgs', { ...on.asUser(), body: { name: 'Mistaken', slug: 'mistaken' } }));
      const body = { confirm: 'mistaken' };
      const answer = await on.api.delete('/orgs/mistaken', { ...on.asUser(), body });
      on.keep('undoDeletion', (await on.linkTo(SPARE_EMAIL)).token);
      return [answer, await on.api.get('/orgs', on.asUser())];
    },
    restoreOrg: () => on.api.post('/orgs/mistaken/restore', on.asUser()),
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
    updateProject: () =>
      all([
        on.api.patch('/projects/web-shop', {
          ...on.asOwner(),
          body: { close_after_scans: 10, source_url: 'https://github.com/acme/web-shop' },
        }),
        on.api.patch(`/projects/${on.made.project}`, { ...on.asOwner(), body: { name: 'Web shop' } }),
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
    agentScanGate: () => on.api.get('/agent/scans/weekly/gate?fail_on=low', on.asAgent()),
    scanGone: () =>
      all(
        ['nightly', 'weekly'].map((id) => on.api.get(`/agent/scans/${id}/gone?source=semgrep`, on.asAgent())),
      ),
    sendReport: () =>
      all(
        ['', '&preview=true&fail_on=low&sources=zap'].map((query) =>
          on.api.post(`/agent/reports?project_id=${on.made.project}${query}`, {
            ...on.asAgent(),
            body: REPORT,
          }),
        ),
      ),
    uploadReport: () => {
      const form = new FormData();
      form.set('file', new File([REPORT], 'report.json'));
      const query =
        'persona=senku&target_type=web&target_url=web&target_ref=main&base_ref=main&default_ref=main&category=web&commit=4f2a9c1';
      return all(
        ['', '&preview=true'].map((more) =>
          on.api.post(`/projects/${on.made.project}/reports?${query}${more}`, {
            ...on.asOwner(),
            body: form,
          }),
        ),
      );
    },

    listScans: () =>
      all(
        ['', 'page=1', `project_id=${on.made.project}&status=running,failed`, 'status=failed&page=1'].map(
          (query) => on.api.get(`/scans?${query}`, on.asOwner()),
        ),
      ),
    getScan: () => on.api.get('/scans/nightly', on.asOwner()),
    scanGate: () =>
      all(['', '?base_ref=main'].map((query) => on.api.get(`/scans/weekly/gate${query}`, on.asOwner()))),
    scanChanges: () =>
      all(
        ['weekly/changes', 'weekly/changes?against=nightly', 'nightly/changes'].map((path) =>
          on.api.get(`/scans/${path}`, on.asOwner()),
        ),
      ),
    async listFindings() {
      const queries = [
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
        ...['assignee=me', 'mentions=me', 'missing=true', 'cve=', 'path=src/**&page=1'],
        'sort=due_at&found_after=2020-01-01&page=1',
        ...['rule', 'cve&page=1', 'file&omit=description', 'project&per_page=1'].map(
          (by) => `group_by=${by}`,
        ),
      ];
      const lists = [];
      // One after another: an organization searches a few times at once.
      for (const query of queries) lists.push(await on.api.get(`/findings?${query}`, on.asOwner()));
      return lists;
    },
    exportFindingsCsv: () =>
      all(
        ['', 'severity=high&sort=-severity'].map((q) =>
          on.api.get(`/findings/export.csv?${q}`, on.asOwner()),
        ),
      ),
    exportFindingsSarif: () => on.api.get('/findings/export.sarif?omit=description', on.asOwner()),
    getFinding: () => on.api.get(`/findings/${on.made.finding}`, on.asOwner()),
    updateFinding: () =>
      on.api.patch(`/findings/${on.made.finding}`, { ...on.asOwner(), body: { status: 'fixed' } }),
    async updateFindings() {
      const triage = (...changes: object[]) =>
        on.api.patch('/findings', { ...on.asOwner(), body: { changes } });
      const change = { id: on.made.finding, status: 'open' };
      const byFilter = (expected_count: number) =>
        on.api.patch('/findings', {
          ...on.asOwner(),
          body: { filter: { path: '**' }, expected_count, limit: 1, note: 'Who owns these?' },
        });
      return [
        await triage(change),
        await triage({ ...change, status: 'fixed' }, { ...change, id: 'none' }),
        await byFilter(0),
      ];
    },
    async createComment() {
      const body = { body: 'Who fixes **this**?' };
      const answer = await on.api.post(`/findings/${on.made.finding}/comments`, { ...on.asOwner(), body });
      on.keep('comment', must(answer).id);
      return answer;
    },
    updateComment: () =>
      on.api.patch(`/findings/${on.made.finding}/comments/${on.made.comment}`, {
        ...on.asOwner(),
        body: { body: 'Ada fixes this.' },
      }),
    findingRefs: () => on.api.get(`/findings/${on.made.finding}/refs`, on.asOwner()),
    similarFindings: () => on.api.get(`/findings/${on.made.finding}/similar`, on.asOwner()),
    getActivity: () =>
      all(
        ['', '?per_page=1&page=2'].map((query) =>
          on.api.get(`/findings/${on.made.finding}/activity${query}`, on.asOwner()),
        ),
      ),
    deleteComment: () =>
      on.api.delete(`/findings/${on.made.finding}/comments/${on.made.comment}`, on.asOwner()),
    listActivity: () =>
      all(
        ['', '?actor=me&kind=status&per_page=1', `?project_id=${on.made.project}&from=2026-01-01`].map(
          (query) => on.api.get(`/activity${query}`, on.asOwner()),
        ),
      ),
    exportActivity: () => on.api.get('/activity/export.csv', on.asOwner()),
    listAudit: () =>
      all(
        ['', `?target=${on.made.project}&action=project.created&from=2026-01-01`, '?per_page=1&page=2'].map(
          (query) => on.api.get(`/audit${query}`, on.asOwner()),
        ),
      ),
    streamEvents: () => on.api.get('/events', on.asOwner()),
    exportAuditCsv: () => on.api.get('/audit/export.csv', on.asOwner()),
    exportAuditJsonl: () => on.api.get('/audit/export.jsonl', on.asOwner()),
    async listChanges() {
      const pages = ['', '?of=all', '?per_page=1&page=2'];
      const answers = await all(pages.map((query) => on.api.get(`/changes${query}`, on.asOwner())));
      on.keep('change', must(answers[0] as Answer)[0].id);
      return answers;
    },
    undoFindingChange: () => on.api.post(`/changes/${on.made.change}/undo`, on.asOwner()),
    listExploits: () => on.api.get(`/findings/${on.made.finding}/exploits`, on.asOwner()),
    getExploit: () => on.api.get(`/findings/${on.made.finding}/exploits/${on.made.exploit}`, on.asOwner()),
    dashboardStats: () => on.api.get('/dashboard/stats', on.asOwner()),
    dashboardTrend: () =>
      all(
        ['', '?days=365', `?project_id=${on.made.project}`].map((query) =>
          on.api.get(`/dashboard/trend${query}`, on.asOwner()),
        ),
      ),
    dashboardMetrics: () =>
      all(
        ['', '?from=2026-01-01&to=2026-01-31', `?project_id=${on.made.project}`].map((query) =>
          on.api.get(`/dashboard/metrics${query}`, on.asOwner()),
        ),
      ),
    dashboardProjects: () =>
      all(
        ['', '?limit=1&from=2026-01-01&to=2026-01-31'].map((query) =>
          on.api.get(`/dashboard/projects${query}`, on.asOwner()),
        ),
      ),
    async getRevision() {
      const first = await on.api.get('/revision', on.asOwner());
      const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
      return [first, await on.api.get('/revision', { ...on.asOwner(), headers })];
    },

    async startProjectTransfer() {
      must(await on.api.post('/orgs', { ...on.asUser(), body: { name: 'Labs', slug: 'acme-labs' } }));
      const create = async (slug: string) =>
        must(await on.api.post('/projects', { ...on.asOwner(), body: { name: slug, slug } })).id;
      const upload = (id: string, body: string) =>
        on.api.post(`/projects/${id}/reports`, { ...on.asOwner(), body });
      const transfer = (slug: string) =>
        on.api.post(`/projects/${slug}/transfer`, {
          ...on.asOwner(),
          body: { organization: 'acme-labs', confirm: slug },
        });
      must(await upload(await create('small'), REPORT));
      // More than a request moves, so that the next calls find it.
      must(await upload(await create('large'), LARGE_REPORT));
      return [await transfer('small'), await transfer('large')];
    },
    getProjectTransfer: () => on.api.get('/projects/large/transfer', on.asOwner()),
    cancelProjectTransfer: () => on.api.delete('/projects/large/transfer', on.asOwner()),
    async createDemoProject() {
      must(await on.api.post('/orgs', { ...on.asUser(), body: { name: 'Tour', slug: 'acme-tour' } }));
      const demo = (org: object) => on.api.post('/projects/demo', { ...on.asOwner(), ...org });
      return [await demo({ org: 'acme-tour' }), await demo({ org: 'acme-tour' })];
    },
    async deleteProject() {
      const { slug } = must(await on.api.post('/projects', { ...on.asOwner(), body: { name: 'Mistaken' } }));
      const path = `/projects/${slug}/tokens`.replace(
        slug,
        must(await on.api.get(`/projects/${slug}`, on.asOwner())).id,
      );
      must(await on.api.post(path, { ...on.asOwner(), body: { name: 'ci' } }));
      return on.api.delete(`/projects/${slug}`, { ...on.asOwner(), body: { confirm: slug } });
    },
    async deleteFinding() {
      const { id } = must(await push({ fingerprint: 'mistaken', scan_id: 'weekly' }));
      return on.api.delete(`/findings/${id}`, on.asOwner());
    },
    async deleteFindings() {
      const { id } = must(await push({ fingerprint: 'mistaken too', scan_id: 'weekly' }));
      const remove = (body: object) => on.api.post('/findings/delete', { ...on.asOwner(), body });
      const answer = await remove({ ids: [id] });
      on.keep('manyDeleted', must(answer).id);
      return [answer, await remove({ filter: { q: 'nothing of this name' }, expected_count: 0 })];
    },
    async previewDeletionOfScan() {
      must(await scan('mistaken'));
      must(await push({ fingerprint: 'only there', scan_id: 'mistaken' }));
      must(await on.api.patch('/agent/scans/mistaken', { ...on.asAgent(), body: { status: 'completed' } }));
      return on.api.get('/scans/mistaken/delete/preview', on.asOwner());
    },
    deleteScanWithFindings: () =>
      on.api.post('/scans/mistaken/delete', {
        ...on.asOwner(),
        body: { with_findings: true, expected_count: 1 },
      }),
    listDeletions: () =>
      all(['', '?per_page=1&page=2'].map((query) => on.api.get(`/deletions${query}`, on.asOwner()))),
    getDeletion: () => on.api.get(`/deletions/${on.made.manyDeleted}`, on.asOwner()),
    undoDeletion: () => on.api.post(`/deletions/${on.made.manyDeleted}/undo`, on.asOwner()),
    purgeDeletion: () => on.api.delete(`/deletions/${on.made.manyDeleted}`, on.asOwner()),
    async deleteScan() {
      must(await scan('mistaken'));
      must(await on.api.patch('/agent/scans/mistaken', { ...on.asAgent(), body: { status: 'failed' } }));
      return on.api.delete('/scans/mistaken', on.asOwner());
    },

    async createView() {
      const body = { name: 'Mine', query: 'severity=critical,high&status=open&sort=-priority' };
      const answer = await on.api.post('/views', { ...on.asOwner(), body });
      on.keep('view', must(answer).id);
      return answer;
    },
    listViews: () => on.api.get('/views', on.asOwner()),
    updateView: () =>
      on.api.patch(`/views/${on.made.view}`, { ...on.asOwner(), body: { name: 'Ours', shared: true } }),
    deleteView: () => on.api.delete(`/views/${on.made.view}`, on.asOwner()),

    updateDueDates: () =>
      on.api.put('/settings/due-dates', { ...on.asOwner(), body: { critical: 7, high: 30, medium: null } }),
    getDueDates: () => on.api.get('/settings/due-dates', on.asOwner()),
    updateRetention: () =>
      on.api.put('/settings/retention', { ...on.asOwner(), body: { resolved_findings: 365, scans: null } }),
    getRetention: () => on.api.get('/settings/retention', on.asOwner()),
    getStorage: () => on.api.get('/settings/storage', on.asOwner()),
    previewRetention: () =>
      on.api.post('/settings/retention/preview', {
        ...on.asOwner(),
        body: { resolved_findings: 365, scans: 180 },
      }),
    updateProjectDueDates: async () => {
      const path = `/projects/${on.made.project}/due-dates`;
      const answer = await on.api.put(path, { ...on.asOwner(), body: { critical: 1, low: 0 } });
      // A process that has not read the policies yet: its first push does.
      return [answer, await push({ fingerprint: 'due', scan_id: 'weekly', severity: 'critical' })];
    },
    getProjectDueDates: () => on.api.get(`/projects/${on.made.project}/due-dates`, on.asOwner()),

    async createRule() {
      const body = {
        name: 'Library',
        conditions: {
          project_id: [on.made.project],
          ...{
            source: ['semgrep'],
            persona: ['senku'],
            severity: ['low'],
            cwe: ['CWE-79'],
            cve: ['CVE-2026-1234'],
          },
          ...{ title: ['Cross-*'], path: ['lib/**'] },
        },
        actions: { status: 'wontfix', reason: 'mitigated', note: 'Not ours.', due_days: 30, accept_days: 90 },
      };
      const answer = await on.api.post('/rules', { ...on.asOwner(), body });
      on.keep('rule', must(answer).id);
      return answer;
    },
    listRules: () => on.api.get('/rules', on.asOwner()),
    orderRules: () => on.api.put('/rules/order', { ...on.asOwner(), body: { ids: [on.made.rule] } }),
    async updateRule() {
      const body = { conditions: { title: ['ruled *'] }, actions: { status: 'confirmed' } };
      const answer = await on.api.patch(`/rules/${on.made.rule}`, { ...on.asOwner(), body });
      return [answer, await push({ fingerprint: 'ruled', scan_id: 'weekly', title: 'Ruled by a rule' })];
    },
    previewRule: () =>
      on.api.post('/rules/preview', { ...on.asOwner(), body: { conditions: { severity: ['high'] } } }),
    applyRuleToFindings: () =>
      on.api.post(`/rules/${on.made.rule}/apply`, { ...on.asOwner(), body: { limit: 1 } }),
    undoRuleChanges: () =>
      on.api.post(`/rules/${on.made.rule}/undo`, { ...on.asOwner(), body: { limit: 1 } }),
    deleteRule: () => on.api.delete(`/rules/${on.made.rule}`, on.asOwner()),

    async createWebhook() {
      const body = {
        url: 'https://hooks.acme.example/findings',
        events: ['scan.completed', 'member.*'],
        project_ids: [on.made.project],
        min_severity: 'high',
      };
      const answer = await on.api.post('/webhooks', { ...on.asOwner(), body });
      on.keep('webhook', must(answer).id);
      return answer;
    },
    listWebhooks: () => on.api.get('/webhooks', on.asOwner()),
    updateWebhook: () =>
      on.api.patch(`/webhooks/${on.made.webhook}`, {
        ...on.asOwner(),
        body: { url: 'https://hooks.acme.example/other', project_ids: null, min_severity: null },
      }),
    rotateWebhookSecret: () => on.api.post(`/webhooks/${on.made.webhook}/rotate-secret`, on.asOwner()),
    async testWebhook() {
      const answer = await on.api.post(`/webhooks/${on.made.webhook}/test`, on.asOwner());
      on.keep('delivery', must(answer).id);
      return answer;
    },
    listWebhookDeliveries: () =>
      all(
        ['', '?state=pending,failed&page=1'].map((query) =>
          on.api.get(`/webhooks/${on.made.webhook}/deliveries${query}`, on.asOwner()),
        ),
      ),
    async redeliver() {
      const { webhook = '', delivery } = on.made;
      await failDeliveries(webhook);
      return on.api.post(`/webhooks/${webhook}/deliveries/${delivery}/redeliver`, on.asOwner());
    },
    deleteWebhook: () => on.api.delete(`/webhooks/${on.made.webhook}`, on.asOwner()),

    async createIntegration() {
      const body = {
        ...{ kind: 'slack', name: 'Security team', url: 'https://hooks.slack.com/services/T0/B0/x' },
        ...{ project_ids: [on.made.project], muted_project_ids: [on.made.project], min_severity: 'high' },
      };
      const answer = await on.api.post('/integrations', { ...on.asOwner(), body });
      on.keep('integration', must(answer).id);
      const tracker = {
        ...{ kind: 'github', name: 'Web shop', url: 'https://github.acme.example', project: 'acme/web-shop' },
        ...{ token: 'github_pat_0123456789', on_closed: 'fixed' },
      };
      const added = await on.api.post('/integrations', { ...on.asOwner(), body: tracker });
      on.keep('tracker', must(added).id);
      return [answer, added];
    },
    listIntegrations: () => on.api.get('/integrations', on.asOwner()),
    updateIntegration: () =>
      on.api.patch(`/integrations/${on.made.integration}`, {
        ...on.asOwner(),
        body: { name: 'Everybody', project_ids: null, muted_project_ids: null, min_severity: null },
      }),
    async testIntegration() {
      const answer = await on.api.post(`/integrations/${on.made.integration}/test`, on.asOwner());
      on.keep('message', must(answer).id);
      return answer;
    },
    listIntegrationDeliveries: () =>
      all(
        ['', '?state=pending,failed&page=1'].map((query) =>
          on.api.get(`/integrations/${on.made.integration}/deliveries${query}`, on.asOwner()),
        ),
      ),
    async redeliverToIntegration() {
      const { integration = '', message } = on.made;
      await failDeliveries(integration);
      return on.api.post(`/integrations/${integration}/deliveries/${message}/redeliver`, on.asOwner());
    },
    async createIssue() {
      on.keep('withIssue', must(await push({ fingerprint: 'with an issue', scan_id: 'weekly' })).id);
      const create = () =>
        on.api.post(`/findings/${on.made.withIssue}/issues`, {
          ...on.asOwner(),
          body: { integration_id: on.made.tracker, force: true },
        });
      const answer = await create();
      on.keep('issue', must(answer).id);
      return [answer, await create()];
    },
    async createSharedIssue() {
      const { id } = must(await push({ fingerprint: 'with a shared issue', scan_id: 'weekly' }));
      const body = { finding_ids: [id], integration_id: on.made.tracker, force: true };
      const create = () => on.api.post('/findings/issues', { ...on.asOwner(), body });
      return [await create(), await create()];
    },
    async listIssues() {
      const { sql } = on.t.services.database;
      const [org] = await sql.unsafe("select id from shared.orgs where slug = 'acme'");
      await sql.unsafe(`update org_${org?.id.replaceAll('-', '')}.issues set key = id::text, checked_at = now(), state = 'closed',
        url = 'https://github.acme.example/acme/web-shop/issues/' || id::text, status = 'Done', outcome = 'The token has expired.'`);
      return on.api.get(`/findings/${on.made.withIssue}/issues`, on.asOwner());
    },
    getIssue: () => on.api.get(`/findings/${on.made.withIssue}/issues/${on.made.issue}`, on.asOwner()),
    unlinkFindingIssue: () =>
      on.api.delete(`/findings/${on.made.withIssue}/issues/${on.made.issue}`, on.asOwner()),
    deleteIntegration: () => on.api.delete(`/integrations/${on.made.integration}`, on.asOwner()),

    updateOrgFeature: () =>
      on.api.patch('/org-features/org_wide_tokens', { ...on.asOwner(), body: { enabled: true } }),
    listOrgFeatures: () => on.api.get('/org-features', on.asOwner()),
    async createToken() {
      const answer = await on.api.post('/tokens', {
        ...on.asOwner(),
        body: { name: 'everywhere', scopes: ['ingest', 'read'] },
      });
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

    async createOrgDomain() {
      const answer = await on.api.post('/settings/domains', {
        ...on.asOwner(),
        body: { domain: 'acme.example' },
      });
      on.keep('domain', must(answer).id);
      on.keep('record', must(answer).record.value);
      return answer;
    },
    verifyOrgDomain() {
      on.t.services.outbound.resolveTxt = async () => [on.made.record ?? ''];
      return on.api.post(`/settings/domains/${on.made.domain}/verify`, on.asOwner());
    },
    listOrgDomains: () => on.api.get('/settings/domains', on.asOwner()),
    async createConnection() {
      const body = { name: 'Login', issuer: ISSUER, client_id: 'svc-findings', client_secret: 'secret' };
      const answer = await on.api.post('/settings/connections', { ...on.asOwner(), body });
      on.keep('connection', must(answer).id);
      return answer;
    },
    listConnections: () => on.api.get('/settings/connections', on.asOwner()),
    updateConnection: () =>
      on.api.patch(`/settings/connections/${on.made.connection}`, {
        ...on.asOwner(),
        body: { domains: ['acme.example'], default_role: 'viewer' },
      }),
    async testConnection() {
      liar = await startLiar(ISSUER);
      liar.serve(on.t.services.outbound);
      return on.api.post(`/settings/connections/${on.made.connection}/test`, on.asOwner());
    },
    startSso: () => on.api.get(`/auth/sso/start?connection=${on.made.connection}&return_to=/`),
    ssoCallback: async () => [
      await bySso({ sub: 'new', email: 'new@acme.example' }),
      await bySso({ sub: 'new', email: 'new@acme.example' }),
    ],
    backchannelLogout: async () =>
      on.api.post('/auth/sso/backchannel-logout', {
        body: `logout_token=${await liar?.logoutToken({ sub: 'new' })}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    async connectIdentity() {
      const { email } = must(await on.api.get('/auth/me', on.asUser())).user;
      const body = { connection: on.made.connection };
      const answer = await on.api.post('/profile/identities', { ...on.asUser(), body });
      const back = await atProvider({ sub: 'me', email }, answer, must(answer).url, on.cookie);
      if (back.status !== 302) throw new Error(back.text);
      return answer;
    },
    async listIdentities() {
      const answer = await on.api.get('/profile/identities', on.asUser());
      on.keep('identity', must(answer).identities[0].id);
      return answer;
    },
    removeIdentity: () => on.api.delete(`/profile/identities/${on.made.identity}`, on.asUser()),
    async createCiTrust() {
      const body = { issuer: ISSUER, claims: { project_id: 28 } };
      const answer = await on.api.post(`/projects/${on.made.project}/ci-trusts`, { ...on.asOwner(), body });
      on.keep('ciTrust', must(answer).id);
      return answer;
    },
    exchangeCiToken: async () =>
      on.api.post('/agent/token', {
        org: 'acme',
        body: { id_token: await liar?.jobToken({ project_id: '28' }), project: on.made.project },
      }),
    listCiTrusts: () => on.api.get(`/projects/${on.made.project}/ci-trusts`, on.asOwner()),
    deleteCiTrust: () =>
      on.api.delete(`/projects/${on.made.project}/ci-trusts/${on.made.ciTrust}`, on.asOwner()),
    deleteConnection: () => on.api.delete(`/settings/connections/${on.made.connection}`, on.asOwner()),
    deleteOrgDomain: () => on.api.delete(`/settings/domains/${on.made.domain}`, on.asOwner()),
    createScimToken: () => on.api.post('/settings/scim/token', on.asOwner()),
    getScim: () => on.api.get('/settings/scim', on.asOwner()),
    deleteScimToken: () => on.api.delete('/settings/scim/token', on.asOwner()),

    async inviteMember() {
      const body = { email: 'grace@example.com', role: 'member' };
      const answer = await on.api.post('/members/invite', { ...on.asOwner(), body });
      on.keep('member', must(answer).user_id ?? must(answer).id);
      return answer;
    },
    listMembers: () =>
      all(
        ['', `?project_id=${on.made.project}`].map((query) => on.api.get(`/members${query}`, on.asOwner())),
      ),
    setProjectMember: () =>
      on.api.put(`/projects/${on.made.project}/members/${on.made.member}`, {
        ...on.asOwner(),
        body: { role: 'viewer' },
      }),
    getProjectMember: () =>
      on.api.get(`/projects/${on.made.project}/members/${on.made.member}`, on.asOwner()),
    listMemberProjects: () => on.api.get(`/members/${on.made.member}/projects`, on.asOwner()),
    listProjectMembers: () => on.api.get(`/projects/${on.made.project}/members`, on.asOwner()),
    removeProjectMember: () =>
      on.api.delete(`/projects/${on.made.project}/members/${on.made.member}`, on.asOwner()),
    resendInvitation: () => on.api.post(`/members/${on.made.member}/resend-invitation`, on.asOwner()),
    updateMember: () =>
      on.api.patch(`/members/${on.made.member}`, {
        ...on.asOwner(),
        body: { role: 'viewer', project_access: 'assigned' },
      }),
    async declineInvitation() {
      const email = 'decliner@example.com';
      must(await on.api.post('/members/invite', { ...on.asOwner(), body: { email, role: 'viewer' } }));
      const { text } = await on.t.delivered(email);
      const token = /decline-invitation\?token=(\w+)/.exec(text)?.[1];
      return on.api.post('/auth/decline-invitation', { body: { token } });
    },
    acceptOwnership: async () =>
      on.api.post('/members/accept-ownership', await offered('heir-1@example.com')),
    declineOwnership: async () =>
      on.api.post('/members/decline-ownership', await offered('heir-2@example.com')),
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
