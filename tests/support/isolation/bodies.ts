import { type Picks, WITH_BODY } from './picks.ts';
import {
  type EndpointName,
  emailOf,
  FINDINGS,
  idOf,
  integrationOf,
  mailedToken,
  minted,
  RECOVERY_CODE,
  RIGHT_PASSWORD,
  RULES,
  TOO_HARD,
  type UserName,
} from './world.ts';

/** The account that a body claims, in calls without a cookie. */
interface Claim {
  /** The account it names. */
  about?: UserName;
  /** It contains a password or a code of the account. */
  proven?: boolean;
  /** It mixes two accounts. */
  mixed?: boolean;
}

/** The parts of a call that its body uses. */
export interface BodyParts {
  picks: Picks;
  own: UserName | undefined;
  target: UserName;
  emailId: string;
  deviceId: string;
  code: string;
  pick<T>(...values: T[]): T;
}

/** All findings are older. */
const LAST_ID = 'ffffffff-ffff-7fff-bfff-ffffffffffff';

/** Without a right signature. */
const UNSIGNED = {
  type: 'public-key',
  response: { clientDataJSON: 'e30', attestationObject: 'e30', authenticatorData: 'e30', signature: 'e30' },
};

/** A body with `MARK` where a marked text will stand, and what it says about an account; undefined when there is none. */
export function bodyOf(call: BodyParts): { json: Record<string, unknown>; claim?: Claim } | undefined {
  const { picks, target } = call;
  if (!WITH_BODY.has(picks.endpoint)) return undefined;
  const user = call.own ?? 'ada';
  const mixed = user !== target;
  const password = call.pick(RIGHT_PASSWORD, RIGHT_PASSWORD, 'Wrong1horse');
  const proven = password === RIGHT_PASSWORD;
  const project_id = idOf('project', picks.project);
  const mfa_token = minted.get(`mfa/${user}`);
  const address = call.pick(emailOf(target, 'main'), emailOf(target, 'spare'), 'newcomer@users.example');
  const about = address.startsWith('secret') ? { about: target } : {};
  const aFinding = () => ({
    scan_id: picks.scan,
    project_id,
    fingerprint: call.pick('sqli', 'xss', 'fresh'),
    previous_fingerprints: call.pick(undefined, ['sqli'], ['none', 'xss', 'sqli']),
    title: 'MARK',
    severity: 'high',
    description: 'MARK',
  });
  const aMention = `MARK @[them](${idOf('user', target)})`;
  const aReport = { findings: [{ title: 'MARK', severity: 'high', description: 'MARK' }] };
  const bodies: Partial<Record<EndpointName, () => [Record<string, unknown>, Claim?]>> = {
    register: () => [{ email: address, password, name: 'Newcomer' }],
    login: () => [
      { email: address, password },
      { ...about, proven },
    ],
    forgotPassword: () => [{ email: address }, about],
    resetPassword: () => [
      { token: mailedToken(call.pick('reset_password', 'verify_email'), user), password: 'Other2horse' },
      { about: user },
    ],
    verifyEmail: () => [
      {
        token: mailedToken(call.pick('verify_email', 'reset_password'), user),
        email_id: idOf('email', `${target}/hidden`),
      },
      { about: user, mixed },
    ],
    validateMfa: () => [
      call.pick(true, true, false)
        ? { mfa_token, device_id: call.deviceId, code: call.code }
        : { mfa_token, code: RECOVERY_CODE, is_recovery: true },
      { about: user, proven: true, mixed: mixed && call.pick(true, true, false) },
    ],
    sendEmailOtp: () => [
      { mfa_token, device_id: idOf('device', `${target}/mail`) },
      { about: user, proven: true, mixed },
    ],
    stepUp: () => [{ password, code: RECOVERY_CODE, is_recovery: true }],
    sendStepUpOtp: () => [{ device_id: idOf('device', `${target}/mail`) }],
    undoEmailChange: () => [{ token: mailedToken('undo_email_change', user) }, { about: user }],
    // The model loses no owner: tests/orgs/control.test.ts does.
    undoOrgChange: () => [{ token: mailedToken('undo_org_change', user) }, { about: user }],
    declineInvitation: () => [{ token: mailedToken('decline_invitation', user) }, { about: user }],
    // Not with a mark: members see the name of each other.
    updateMe: () => [{ name: 'Another name' }],
    // No mails are chosen: they are written in the background, whatever is called meanwhile (tests/notifications).
    updateNotifications: () => [{ assigned: 'off', hour: call.pick(7, 20) }],
    // No call confirms the deletion of its own account: the model keeps its users.
    deleteMe: () => [{ confirm: call.own === target ? 'nobody@users.example' : emailOf(target, 'main') }],
    changePassword: () => [{ current_password: password, new_password: 'Other2horse' }],
    addEmail: () => [{ email: call.pick('extra@users.example', emailOf(target, 'main')) }],
    createTotpDevice: () => [{ name: 'MARK' }],
    verifyTotpDevice: () => [{ code: call.code }],
    createEmailDevice: () => [{ email_id: call.emailId }],
    removeMfaDevice: () => [{ password }],
    disableMfa: () => [{ password }],
    updatePasskey: () => [{ name: 'MARK' }],
    // No passkey of the world has a key that signs: tests/accounts/passkeys.test.ts uses some.
    createPasskey: () => [{ name: 'MARK', credential: { ...UNSIGNED, id: target, rawId: target } }],
    passkeyOptions: () => [call.pick(true, false) ? {} : { mfa_token }, about],
    verifyPasskey: () => [{ credential: { ...UNSIGNED, id: target, rawId: target } }],
    regenerateRecoveryCodes: () => [{ password }],
    createOrg: () => [{ name: 'MARK', slug: call.pick(undefined, 'alpha', 'www') }],
    updateFindings: () => {
      const status = call.pick('open', 'confirmed', 'fixed', 'wontfix');
      if (call.pick(true, false, false)) return [{ filter: { q: 'secret' }, after: LAST_ID, status }];
      const named = FINDINGS.slice(call.picks.thing % FINDINGS.length);
      return [{ changes: named.map((name) => ({ id: idOf('finding', name), status })) }];
    },
    deleteFindings: () =>
      call.pick(true, false, false)
        ? [{ filter: { q: 'in no finding' }, expected_count: 0 }]
        : [{ ids: FINDINGS.slice(call.picks.thing % FINDINGS.length).map((name) => idOf('finding', name)) }],
    deleteScanWithFindings: () => [{ with_findings: call.pick(true, false) }],
    updateMember: () => [{ role: call.pick('viewer', 'member', 'admin', 'owner') }],
    setProjectMember: () => [{ role: call.pick('viewer', 'member', 'admin') }],
    updateFinding: () => [
      {
        status: call.pick('open', 'confirmed', 'fixed', 'wontfix'),
        note: 'MARK',
        if_status: call.pick(undefined, undefined, 'open'),
      },
    ],
    createIssue: () => [{ integration_id: integrationOf(call.pick('alpha', 'bravo', 'nowhere')) }],
    createSharedIssue: () => [
      {
        integration_id: integrationOf(call.pick('alpha', 'bravo')),
        finding_ids: [idOf('finding', picks.finding)],
      },
    ],
    createComment: () => [{ body: call.pick('MARK', aMention) }],
    updateComment: () => [{ body: call.pick('MARK', aMention) }],
    updateProject: () => [
      {
        name: 'MARK',
        close_after_scans: call.pick(undefined, null, 1),
        source_url: call.pick(undefined, null, 'https://x.example/MARK/{path}'),
      },
    ],
    // Not with the mark of the user: all members see the name.
    updateOrg: () => [{ name: 'Renamed' }],
    // The model has no deleted organizations: tests/orgs/deletion.test.ts deletes them.
    deleteOrg: () => [{ confirm: 'none' }],
    updateRetention: () => [{ scans: call.pick(7, null) }],
    previewRetention: () => [{ resolved_findings: 7 }],
    // The model moves no project: tests/projects/transfer.test.ts does.
    startProjectTransfer: () => [{ organization: call.pick('alpha', 'beta'), confirm: 'none' }],
    deleteProject: () => [{ confirm: call.pick(picks.project, 'shop', 'none') }],
    createProject: () => [{ name: 'MARK', slug: call.pick(undefined, 'shop', 'fresh') }],
    inviteMember: () => [{ email: address, role: call.pick('viewer', 'member', 'admin', 'owner') }],
    pushFinding: () => [aFinding()],
    pushFindings: () => [{ findings: [aFinding(), aFinding()] }],
    sendReport: () => [aReport],
    uploadReport: () => [aReport],
    updateAgentFinding: () => [{ status: call.pick('open', 'verified') }],
    attachExploit: () => [{ filename: 'MARK', language: 'python', code: 'MARK' }],
    registerScan: () => [
      { scan_id: call.pick(picks.scan, 'fresh'), project_id, persona: 'senku', name: 'MARK' },
    ],
    endScan: () => [{ status: call.pick('completed', 'failed'), error_message: 'MARK' }],
    createProjectToken: () => [{ name: 'MARK' }],
    createToken: () => [{ name: 'MARK', scopes: call.pick(undefined, ['read'], ['ingest', 'admin']) }],
    createPersonalToken: () => [
      {
        name: 'MARK',
        scopes: call.pick(['read'], ['admin']),
        expires_in: 30,
        org_id: call.pick(undefined, undefined, idOf('org', 'alpha')),
      },
    ],
    updateOrgFeature: () => [{ enabled: call.pick(true, false) }],
    createView: () => [{ name: 'MARK', query: 'q=MARK', shared: call.pick(true, false) }],
    updateView: () => [{ name: 'MARK', shared: call.pick(undefined, true, false) }],
    createRule: () => [
      {
        name: 'MARK',
        conditions: call.pick({ project_id: [project_id] }, { title: ['MARK*'] }),
        actions: { status: 'wontfix', note: 'MARK' },
      },
    ],
    updateRule: () => [
      call.pick<Record<string, unknown>>(
        { name: 'MARK', enabled: false },
        { conditions: { title: ['MARK*'] }, actions: { assignee_id: idOf('user', user), due_days: 7 } },
      ),
    ],
    orderRules: () => [{ ids: RULES.slice(0, call.pick(2, 1)).map((name) => idOf('rule', name)) }],
    createWebhook: () => [
      {
        url: 'https://hooks.example/MARK',
        events: ['scan.completed'],
        project_ids: call.pick(undefined, [project_id]),
      },
    ],
    updateWebhook: () => [
      {
        url: 'https://hooks.example/MARK',
        enabled: call.pick(true, false),
        project_ids: call.pick(null, [project_id]),
      },
    ],
    createIntegration: () => [
      {
        ...{ kind: 'slack', name: 'MARK', url: 'https://hooks.example/MARK' },
        project_ids: call.pick(undefined, [project_id]),
      },
    ],
    updateIntegration: () => [
      {
        ...{ name: 'MARK', url: 'https://hooks.example/MARK' },
        enabled: call.pick(true, false),
        project_ids: call.pick(null, [project_id]),
      },
    ],
    previewRule: () => [{ conditions: call.pick({ title: ['secret*'] }, { project_id: [project_id] }) }],
    applyRuleToFindings: () => [{ limit: call.pick(1, 100) }],
    undoRuleChanges: () => [{ limit: call.pick(1, 100) }],
    updateDueDates: () => [{ high: call.pick(7, null) }],
    updateProjectDueDates: () => [{ high: call.pick(7, null, 0) }],
    createConnection: () => [{ name: 'MARK', issuer: 'no issuer MARK', client_id: 'MARK' }],
    updateConnection: () => [{ name: 'MARK' }],
    createOrgDomain: () => [{ domain: 'no domain MARK' }],
    createCiTrust: () => [{ issuer: 'no issuer MARK', claims: { repository_id: 1 } }],
    exchangeCiToken: () => [{ id_token: 'MARK', project: project_id }],
    backchannelLogout: () => [{ logout_token: 'MARK' }],
    connectIdentity: () => [{ connection: '00000000-0000-7000-8000-000000000000' }],
    updateSecuritySettings: () => [
      call.pick<Record<string, unknown>>(
        { viewer_tokens_verify: true },
        ...(['keep', 'limit', 'revoke'] as const).map((rule) => ({ tokens_on_role_loss: rule })),
      ),
    ],
  };
  const made = bodies[picks.endpoint]?.();
  if (!made) throw TOO_HARD(`a body for ${picks.endpoint}`);
  return { json: made[0], ...(made[1] && { claim: made[1] }) };
}
