import { Secret, TOTP } from 'otpauth';
import type { endpoints } from '../../../handlers/index.ts';
import { type Answer, must, PASSWORD } from '../api/api.ts';
import type { TestApp } from '../server/app.ts';

/** Calls of an endpoint that succeed, one at least. */
type Stop = () => Promise<Answer[]>;

const OTHER_PASSWORD = 'Another2battery';

/**
 * Every endpoint with success, in this order: each builds on what came before. A new one that is missing here does not
 * compile. Queries that depend on the input are there in all their forms.
 */
export function planTour({
  api,
  advance,
  delivered,
  services,
}: TestApp): Record<keyof typeof endpoints, Stop> {
  const email = 'ada@example.com';
  const spare = 'ada@example.org';
  const made: Record<string, string> = {};
  let cookie: string | undefined;
  let codes: string[] = [];

  const asOwner = () => ({ cookie, org: 'acme' });
  const asAgent = () => ({ token: made.token, org: 'acme' });
  /** Keeps a part of an answer for later. */
  const keep = (name: string, value: unknown) => {
    made[name] = String(value);
  };
  const linkTo = async (recipient: string) =>
    Object.fromEntries(new URL((await delivered(recipient)).link ?? '').searchParams);
  const login = async (address: string, password = PASSWORD) => {
    const answer = await api.post('/auth/login', { body: { email: address, password } });
    cookie = answer.cookie ?? cookie;
    return answer;
  };
  const all = (calls: Promise<Answer>[]) => Promise.all(calls);
  const one = async (call: Promise<Answer>) => [await call];
  const totp = () =>
    new TOTP({ secret: Secret.fromBase32(made.secret ?? '') }).generate({
      timestamp: services.clock().getTime(),
    });
  const mfaToken = async () => must(await login(spare)).mfa_token;
  const finding = (fields: object) => ({
    scan_id: 'nightly',
    project_id: made.project,
    fingerprint: 'sqli',
    title: 'SQL injection',
    severity: 'high',
    description: 'User input reaches the query.',
    ...fields,
  });
  const push = (fields: object = {}) => api.post('/agent/findings', { ...asAgent(), body: finding(fields) });
  const scan = (scan_id: string) =>
    api.post('/agent/scans', {
      ...asAgent(),
      body: { scan_id, project_id: made.project, persona: 'senku', target: { ref: 'main' } },
    });

  return {
    async register() {
      const answer = await api.post('/auth/register', { body: { email, password: PASSWORD, name: 'Ada' } });
      cookie = answer.cookie;
      return [answer];
    },
    async verifyEmail() {
      return one(api.post('/auth/verify-email', { body: await linkTo(email) }));
    },
    login: () => one(login(email)),
    me: () => one(api.get('/auth/me', { cookie })),
    session: () => one(api.get('/auth/session', { cookie })),
    changePassword: () =>
      one(
        api.post('/auth/change-password', {
          cookie,
          body: { current_password: PASSWORD, new_password: OTHER_PASSWORD },
        }),
      ),
    forgotPassword: () => one(api.post('/auth/forgot-password', { body: { email } })),
    async resetPassword() {
      const { token } = await linkTo(email);
      const answer = await api.post('/auth/reset-password', { body: { token, password: PASSWORD } });
      return [answer, await login(email)];
    },

    async addEmail() {
      const answer = await api.post('/profile/emails', { cookie, body: { email: spare } });
      keep('spare', must(answer).id);
      return [answer];
    },
    sendVerification: () => one(api.post(`/profile/emails/${made.spare}/send-verification`, { cookie })),
    async listEmails() {
      const answer = await api.get('/profile/emails', { cookie });
      const emails: { id: string; email: string }[] = must(answer).emails;
      keep('email', emails.find((each) => each.email === email)?.id);
      return [answer];
    },
    async setPrimaryEmail() {
      const verified = await api.post('/auth/verify-email', { body: await linkTo(spare) });
      const changed = await api.post(`/profile/emails/${made.spare}/set-primary`, { cookie });
      keep('undo', (await linkTo(email)).token);
      return [verified, changed];
    },
    removeEmail: () => one(api.delete(`/profile/emails/${made.email}`, { cookie })),

    async createTotpDevice() {
      const answer = await api.post('/profile/mfa/devices/totp', { cookie, body: { name: 'Phone' } });
      keep('secret', must(answer).secret);
      keep('phone', must(answer).device.id);
      return [answer];
    },
    verifyTotpDevice: () =>
      one(api.post(`/profile/mfa/devices/totp/${made.phone}/verify`, { cookie, body: { code: totp() } })),
    async createEmailDevice() {
      const answer = await api.post('/profile/mfa/devices/email', { cookie, body: { email_id: made.spare } });
      keep('mail', must(answer).id);
      return [answer];
    },
    listMfaDevices: () => one(api.get('/profile/mfa/devices', { cookie })),
    enableMfa: () => one(api.post('/profile/mfa/enable', { cookie })),
    getRecoveryCodes: () => one(api.get('/profile/mfa/recovery-codes', { cookie })),
    async regenerateRecoveryCodes() {
      const answer = await api.post('/profile/mfa/recovery-codes/regenerate', {
        cookie,
        body: { password: PASSWORD },
      });
      codes = must(answer).recovery_codes;
      return [answer];
    },
    async sendEmailOtp() {
      keep('mfaToken', await mfaToken());
      const body = { mfa_token: made.mfaToken, device_id: made.mail };
      return one(api.post('/auth/mfa/send-email-otp', { body }));
    },
    async validateMfa() {
      const validate = (body: object) => api.post('/auth/mfa/validate', { body });
      const code = /\b\d{6}\b/.exec((await delivered(spare)).text)?.[0];
      // A code of the app is taken once.
      advance(30_000);
      const answers = [
        await validate({ mfa_token: made.mfaToken, device_id: made.mail, code }),
        await validate({ mfa_token: await mfaToken(), device_id: made.phone, code: totp() }),
        await validate({ mfa_token: await mfaToken(), code: codes[0], is_recovery: true }),
      ];
      cookie = answers[2]?.cookie;
      return answers;
    },
    sendStepUpOtp: () =>
      one(api.post('/auth/step-up/send-email-otp', { cookie, body: { device_id: made.mail } })),
    async stepUp() {
      const code = /\b\d{6}\b/.exec((await delivered(spare)).text)?.[0];
      return one(api.post('/auth/step-up', { cookie, body: { password: PASSWORD, code } }));
    },
    removeMfaDevice: () =>
      one(api.delete(`/profile/mfa/devices/${made.mail}`, { cookie, body: { password: PASSWORD } })),
    disableMfa: () => one(api.post('/profile/mfa/disable', { cookie, body: { password: PASSWORD } })),

    async listSessions() {
      await login(spare);
      const answer = await api.get('/profile/sessions', { cookie });
      const sessions: { id: string; current: boolean }[] = must(answer).sessions;
      keep('session', sessions.find((each) => !each.current)?.id);
      return [answer];
    },
    revokeSession: () => one(api.delete(`/profile/sessions/${made.session}`, { cookie })),
    revokeOtherSessions: () => one(api.delete('/profile/sessions', { cookie })),

    createOrg: () => one(api.post('/orgs', { cookie, body: { name: 'Acme', slug: 'acme' } })),
    listOrgs: () => one(api.get('/orgs', { cookie })),
    getOrg: () => one(api.get('/orgs/acme', { cookie })),
    listFeatures: () => one(api.get('/config/features', { cookie })),
    authConfig: () => one(api.get('/config/auth')),

    async createProject() {
      const answer = await api.post('/projects', { ...asOwner(), body: { name: 'Web shop' } });
      keep('project', must(answer).id);
      return [answer];
    },
    listProjects: () => one(api.get('/projects', asOwner())),
    getProject: () =>
      all([api.get('/projects/web-shop', asOwner()), api.get(`/projects/${made.project}`, asOwner())]),
    async createProjectToken() {
      const body = { name: 'ci', expires_in: 30 };
      const answer = await api.post(`/projects/${made.project}/tokens`, { ...asOwner(), body });
      keep('token', must(answer).token);
      keep('tokenId', must(answer).info.id);
      return [answer];
    },
    listProjectTokens: () => one(api.get(`/projects/${made.project}/tokens`, asOwner())),

    async registerScan() {
      return [await scan('nightly'), await scan('weekly')];
    },
    async pushFinding() {
      const first = await push();
      keep('finding', must(first).id);
      return [first, await push({ severity: 'critical' }), await push({ scan_id: 'weekly' })];
    },
    listAgentFindings: () =>
      all(
        ['', '&page=1', '&status=open,fixed&severity=critical&page=1'].map((query) =>
          api.get(`/agent/findings?project_id=${made.project}${query}`, asAgent()),
        ),
      ),
    updateAgentFinding: () =>
      one(api.patch(`/agent/findings/${made.finding}`, { ...asAgent(), body: { status: 'verified' } })),
    async attachExploit() {
      const body = { filename: 'poc.py', language: 'python', code: 'print(1)' };
      const answer = await api.post(`/agent/findings/${made.finding}/exploits`, { ...asAgent(), body });
      keep('exploit', must(answer).id);
      return [answer];
    },
    async endScan() {
      const end = (id: string, body: object) => api.patch(`/agent/scans/${id}`, { ...asAgent(), body });
      return [
        await end('nightly', { status: 'completed' }),
        await end('weekly', { status: 'failed', error_message: 'gave up' }),
        // Later than its scan: the summary is made anew.
        await push({ fingerprint: 'xss' }),
      ];
    },

    listScans: () =>
      all(
        ['', 'page=1', `project_id=${made.project}&status=running,failed`, 'status=failed&page=1'].map(
          (query) => api.get(`/scans?${query}`, asOwner()),
        ),
      ),
    getScan: () => one(api.get('/scans/nightly', asOwner())),
    scanChanges: () =>
      all(
        ['weekly/changes', 'weekly/changes?against=nightly', 'nightly/changes'].map((path) =>
          api.get(`/scans/${path}`, asOwner()),
        ),
      ),
    listFindings: () =>
      all(
        [
          ...[
            '',
            'page=1',
            'page=2&per_page=1',
            `project_id=${made.project}`,
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
          ...['scan_id=weekly&page=1', `project_id=${made.project}&severity=high&page=1`],
          ...['created_at', 'last_seen_at', 'severity', 'cvss_score'].flatMap((key) =>
            [key, `-${key}`].flatMap((sort) => [`sort=${sort}`, `sort=${sort}&page=1`]),
          ),
        ].map((query) => api.get(`/findings?${query}`, asOwner())),
      ),
    getFinding: () => one(api.get(`/findings/${made.finding}`, asOwner())),
    updateFinding: () =>
      one(api.patch(`/findings/${made.finding}`, { ...asOwner(), body: { status: 'fixed' } })),
    async updateFindings() {
      const triage = (...changes: object[]) => api.patch('/findings', { ...asOwner(), body: { changes } });
      const change = { id: made.finding, status: 'open' };
      return [await triage(change), await triage({ ...change, status: 'fixed' }, { ...change, id: 'none' })];
    },
    listExploits: () => one(api.get(`/findings/${made.finding}/exploits`, asOwner())),
    getExploit: () => one(api.get(`/findings/${made.finding}/exploits/${made.exploit}`, asOwner())),
    dashboardStats: () => one(api.get('/dashboard/stats', asOwner())),
    dashboardTrend: () =>
      all(['', '?days=365'].map((query) => api.get(`/dashboard/trend${query}`, asOwner()))),
    dashboardProjects: () => one(api.get('/dashboard/projects', asOwner())),

    updateOrgFeature: () =>
      one(api.patch('/org-features/org_wide_tokens', { ...asOwner(), body: { enabled: true } })),
    listOrgFeatures: () => one(api.get('/org-features', asOwner())),
    async createToken() {
      const answer = await api.post('/tokens', { ...asOwner(), body: { name: 'everywhere' } });
      keep('wideTokenId', must(answer).info.id);
      return [answer];
    },
    listTokens: () => one(api.get('/tokens', asOwner())),
    revokeToken: () => one(api.delete(`/tokens/${made.wideTokenId}`, asOwner())),
    revokeProjectToken: () => one(api.delete(`/projects/${made.project}/tokens/${made.tokenId}`, asOwner())),

    getSecuritySettings: () => one(api.get('/settings/security', asOwner())),
    updateSecuritySettings: () =>
      one(api.patch('/settings/security', { ...asOwner(), body: { viewer_tokens_verify: false } })),

    async inviteMember() {
      const body = { email: 'grace@example.com', role: 'member' };
      const answer = await api.post('/members/invite', { ...asOwner(), body });
      keep('member', must(answer).user_id ?? must(answer).id);
      return [answer];
    },
    listMembers: () => one(api.get('/members', asOwner())),
    resendInvitation: () => one(api.post(`/members/${made.member}/resend-invitation`, asOwner())),
    updateMember: () => one(api.patch(`/members/${made.member}`, { ...asOwner(), body: { role: 'viewer' } })),
    async leaveOrg() {
      const guest = 'guest@example.com';
      const body = { email: guest, password: PASSWORD, name: 'Guest' };
      const { cookie: as } = await api.post('/auth/register', { body });
      must(await api.post('/members/invite', { ...asOwner(), body: { email: guest, role: 'viewer' } }));
      return one(api.post('/members/leave', { cookie: as, org: 'acme' }));
    },
    removeMember: () => one(api.delete(`/members/${made.member}`, asOwner())),

    healthz: () => one(api.get('//healthz')),
    readyz: () => one(api.get('//readyz')),
    metrics: () => one(api.get('//metrics')),
    apiDocs: () => one(api.get('/docs')),
    openApiDocument: () => one(api.get('/docs/openapi.yaml')),
    undoEmailChange: () => one(api.post('/auth/undo-email-change', { body: { token: made.undo } })),
    logout: () => one(api.post('/auth/logout', { cookie })),
  };
}
