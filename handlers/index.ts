import type { Endpoints } from '../lib/http/endpoint.ts';
import { exportActivity } from './activity/export.ts';
import { listActivity } from './activity/list.ts';
import { pushFindings } from './agent/findings/batch.ts';
import { pushFinding } from './agent/findings/create.ts';
import { attachExploit } from './agent/findings/exploits/create.ts';
import { listAgentFindings } from './agent/findings/list.ts';
import { updateAgentFinding } from './agent/findings/update.ts';
import { sendReport } from './agent/reports/create.ts';
import { registerScan } from './agent/scans/create.ts';
import { agentScanGate } from './agent/scans/gate.ts';
import { scanGone } from './agent/scans/gone.ts';
import { endScan } from './agent/scans/update.ts';
import { exchangeCiToken } from './agent/token/create.ts';
import { exportAuditCsv, exportAuditJsonl } from './audit/export.ts';
import { listAudit } from './audit/list.ts';
import { changePassword } from './auth/change-password.ts';
import { declineInvitation } from './auth/decline-invitation.ts';
import { deleteMe } from './auth/delete-me.ts';
import { forgotPassword } from './auth/forgot-password.ts';
import { login } from './auth/login.ts';
import { logout } from './auth/logout.ts';
import { exportMe } from './auth/me/export.ts';
import { me } from './auth/me.ts';
import { sendEmailOtp } from './auth/mfa/send-email-otp.ts';
import { validateMfa } from './auth/mfa/validate.ts';
import { passkeyOptions } from './auth/passkey/options.ts';
import { verifyPasskey } from './auth/passkey/verify.ts';
import { register } from './auth/register.ts';
import { resetPassword } from './auth/reset-password.ts';
import { session } from './auth/session.ts';
import { backchannelLogout } from './auth/sso/backchannel-logout.ts';
import { ssoCallback } from './auth/sso/callback.ts';
import { startSso } from './auth/sso/start.ts';
import { stepUpPasskeyOptions } from './auth/step-up/passkey-options.ts';
import { sendStepUpOtp } from './auth/step-up/send-email-otp.ts';
import { stepUp } from './auth/step-up.ts';
import { undoEmailChange } from './auth/undo-email-change.ts';
import { undoOrgChange } from './auth/undo-org-change.ts';
import { updateMe } from './auth/update-me.ts';
import { verifyEmail } from './auth/verify-email.ts';
import { listChanges } from './changes/list.ts';
import { undoFindingChange } from './changes/undo.ts';
import { authConfig } from './config/auth.ts';
import { listFeatures } from './config/features.ts';
import { dashboardMetrics } from './dashboard/metrics.ts';
import { dashboardProjects } from './dashboard/projects.ts';
import { dashboardStats } from './dashboard/stats.ts';
import { dashboardTrend } from './dashboard/trend.ts';
import { purgeDeletion } from './deletions/delete.ts';
import { getDeletion } from './deletions/get.ts';
import { listDeletions } from './deletions/list.ts';
import { undoDeletion } from './deletions/undo.ts';
import { openApiDocument, openApiDocumentJson } from './docs/openapi.ts';
import { apiDocs } from './docs/page.ts';
import { streamEvents } from './events/stream.ts';
import { getActivity } from './findings/activity.ts';
import { createComment } from './findings/comments/create.ts';
import { deleteComment } from './findings/comments/delete.ts';
import { updateComment } from './findings/comments/update.ts';
import { deleteFinding } from './findings/delete.ts';
import { deleteFindings } from './findings/delete-many.ts';
import { getExploit } from './findings/exploits/get.ts';
import { listExploits } from './findings/exploits/list.ts';
import { exportFindingsCsv, exportFindingsSarif } from './findings/export.ts';
import { getFinding } from './findings/get.ts';
import { createIssue } from './findings/issues/create.ts';
import { createSharedIssue } from './findings/issues/create-many.ts';
import { unlinkFindingIssue } from './findings/issues/delete.ts';
import { getIssue } from './findings/issues/get.ts';
import { listIssues } from './findings/issues/list.ts';
import { listFindings } from './findings/list.ts';
import { findingRefs } from './findings/refs.ts';
import { similarFindings } from './findings/similar.ts';
import { updateFinding } from './findings/update.ts';
import { updateFindings } from './findings/update-many.ts';
import { createIntegration } from './integrations/create.ts';
import { deleteIntegration } from './integrations/delete.ts';
import { listIntegrationDeliveries } from './integrations/deliveries/list.ts';
import { redeliverToIntegration } from './integrations/deliveries/redeliver.ts';
import { listIntegrations } from './integrations/list.ts';
import { testIntegration } from './integrations/test.ts';
import { updateIntegration } from './integrations/update.ts';
import { acceptOwnership } from './members/accept-ownership.ts';
import { declineOwnership } from './members/decline-ownership.ts';
import { inviteMember } from './members/invite.ts';
import { leaveOrg } from './members/leave.ts';
import { listMembers } from './members/list.ts';
import { listMemberProjects } from './members/list-projects.ts';
import { removeMember } from './members/remove.ts';
import { resendInvitation } from './members/resend-invitation.ts';
import { updateMember } from './members/update.ts';
import { healthz, readyz } from './ops/health.ts';
import { metrics } from './ops/metrics.ts';
import { listOrgFeatures } from './org-features/list.ts';
import { updateOrgFeature } from './org-features/update.ts';
import { createOrg } from './orgs/create.ts';
import { deleteOrg } from './orgs/delete.ts';
import { getOrg } from './orgs/get.ts';
import { listOrgs } from './orgs/list.ts';
import { restoreOrg } from './orgs/restore.ts';
import { updateOrg } from './orgs/update.ts';
import { addEmail } from './profile/emails/add.ts';
import { listEmails } from './profile/emails/list.ts';
import { removeEmail } from './profile/emails/remove.ts';
import { sendVerification } from './profile/emails/send-verification.ts';
import { setPrimaryEmail } from './profile/emails/set-primary.ts';
import { connectIdentity } from './profile/identities/connect.ts';
import { listIdentities } from './profile/identities/list.ts';
import { removeIdentity } from './profile/identities/remove.ts';
import { createEmailDevice } from './profile/mfa/devices/email.ts';
import { listMfaDevices } from './profile/mfa/devices/list.ts';
import { removeMfaDevice } from './profile/mfa/devices/remove.ts';
import { createTotpDevice } from './profile/mfa/devices/totp/create.ts';
import { verifyTotpDevice } from './profile/mfa/devices/totp/verify.ts';
import { disableMfa } from './profile/mfa/disable.ts';
import { enableMfa } from './profile/mfa/enable.ts';
import { getRecoveryCodes } from './profile/mfa/recovery-codes/get.ts';
import { regenerateRecoveryCodes } from './profile/mfa/recovery-codes/regenerate.ts';
import { getNotifications } from './profile/notifications/get.ts';
import { unsubscribe } from './profile/notifications/unsubscribe.ts';
import { unsubscribePage } from './profile/notifications/unsubscribe-page.ts';
import { updateNotifications } from './profile/notifications/update.ts';
import { createPasskey } from './profile/passkeys/create.ts';
import { listPasskeys } from './profile/passkeys/list.ts';
import { newPasskeyOptions } from './profile/passkeys/options.ts';
import { removePasskey } from './profile/passkeys/remove.ts';
import { updatePasskey } from './profile/passkeys/update.ts';
import { listSessions } from './profile/sessions/list.ts';
import { revokeSession } from './profile/sessions/revoke.ts';
import { revokeOtherSessions } from './profile/sessions/revoke-others.ts';
import { createPersonalToken } from './profile/tokens/create.ts';
import { listPersonalTokens } from './profile/tokens/list.ts';
import { revokePersonalToken } from './profile/tokens/revoke.ts';
import { createCiTrust } from './projects/ci-trusts/create.ts';
import { deleteCiTrust } from './projects/ci-trusts/delete.ts';
import { listCiTrusts } from './projects/ci-trusts/list.ts';
import { createProject } from './projects/create.ts';
import { deleteProject } from './projects/delete.ts';
import { createDemoProject } from './projects/demo/create.ts';
import { getProjectDueDates } from './projects/due-dates/get.ts';
import { updateProjectDueDates } from './projects/due-dates/update.ts';
import { getProject } from './projects/get.ts';
import { listProjects } from './projects/list.ts';
import { getProjectMember } from './projects/members/get.ts';
import { listProjectMembers } from './projects/members/list.ts';
import { removeProjectMember } from './projects/members/remove.ts';
import { setProjectMember } from './projects/members/set.ts';
import { uploadReport } from './projects/reports/create.ts';
import { createProjectToken } from './projects/tokens/create.ts';
import { listProjectTokens } from './projects/tokens/list.ts';
import { revokeProjectToken } from './projects/tokens/revoke.ts';
import { cancelProjectTransfer } from './projects/transfer/cancel.ts';
import { getProjectTransfer } from './projects/transfer/get.ts';
import { startProjectTransfer } from './projects/transfer/start.ts';
import { updateProject } from './projects/update.ts';
import { getRevision } from './revision/get.ts';
import { applyRuleToFindings } from './rules/apply.ts';
import { createRule } from './rules/create.ts';
import { deleteRule } from './rules/delete.ts';
import { listRules } from './rules/list.ts';
import { orderRules } from './rules/order.ts';
import { previewRule } from './rules/preview.ts';
import { undoRuleChanges } from './rules/undo.ts';
import { updateRule } from './rules/update.ts';
import { scanChanges } from './scans/changes.ts';
import { previewDeletionOfScan } from './scans/delete/preview.ts';
import { deleteScan } from './scans/delete.ts';
import { deleteScanWithFindings } from './scans/delete-with-findings.ts';
import { scanGate } from './scans/gate.ts';
import { getScan } from './scans/get.ts';
import { listScans } from './scans/list.ts';
import { createConnection } from './settings/connections/create.ts';
import { deleteConnection } from './settings/connections/delete.ts';
import { listConnections } from './settings/connections/list.ts';
import { testConnection } from './settings/connections/test.ts';
import { updateConnection } from './settings/connections/update.ts';
import { createOrgDomain } from './settings/domains/create.ts';
import { deleteOrgDomain } from './settings/domains/delete.ts';
import { listOrgDomains } from './settings/domains/list.ts';
import { verifyOrgDomain } from './settings/domains/verify.ts';
import { getDueDates } from './settings/due-dates/get.ts';
import { updateDueDates } from './settings/due-dates/update.ts';
import { getRetention } from './settings/retention/get.ts';
import { previewRetention } from './settings/retention/preview.ts';
import { updateRetention } from './settings/retention/update.ts';
import { getScim } from './settings/scim/get.ts';
import { createScimToken } from './settings/scim/token/create.ts';
import { deleteScimToken } from './settings/scim/token/delete.ts';
import { getSecuritySettings } from './settings/security/get.ts';
import { updateSecuritySettings } from './settings/security/update.ts';
import { getStorage } from './settings/storage/get.ts';
import { createToken } from './tokens/create.ts';
import { listTokens } from './tokens/list.ts';
import { revokeToken } from './tokens/revoke.ts';
import { createView } from './views/create.ts';
import { deleteView } from './views/delete.ts';
import { listViews } from './views/list.ts';
import { updateView } from './views/update.ts';
import { createWebhook } from './webhooks/create.ts';
import { deleteWebhook } from './webhooks/delete.ts';
import { listWebhookDeliveries } from './webhooks/deliveries/list.ts';
import { redeliver } from './webhooks/deliveries/redeliver.ts';
import { listWebhooks } from './webhooks/list.ts';
import { rotateWebhookSecret } from './webhooks/rotate-secret.ts';
import { testWebhook } from './webhooks/test.ts';
import { updateWebhook } from './webhooks/update.ts';

/** Every endpoint of the service, in the order of docs/api.md. The names are the operation ids of the API's description. */
export const endpoints = {
  register,
  login,
  logout,
  me,
  updateMe,
  deleteMe,
  exportMe,
  session,
  forgotPassword,
  resetPassword,
  changePassword,
  validateMfa,
  sendEmailOtp,
  verifyEmail,
  stepUp,
  sendStepUpOtp,
  stepUpPasskeyOptions,
  passkeyOptions,
  verifyPasskey,
  undoEmailChange,
  undoOrgChange,
  declineInvitation,

  listEmails,
  addEmail,
  removeEmail,
  setPrimaryEmail,
  sendVerification,

  listMfaDevices,
  createTotpDevice,
  verifyTotpDevice,
  createEmailDevice,
  removeMfaDevice,
  enableMfa,
  disableMfa,
  getRecoveryCodes,
  regenerateRecoveryCodes,

  listPasskeys,
  newPasskeyOptions,
  createPasskey,
  updatePasskey,
  removePasskey,

  listSessions,
  revokeSession,
  revokeOtherSessions,

  createPersonalToken,
  listPersonalTokens,
  revokePersonalToken,
  getNotifications,
  updateNotifications,
  unsubscribe,
  unsubscribePage,

  createOrg,
  listOrgs,
  getOrg,
  updateOrg,
  deleteOrg,
  restoreOrg,

  listFeatures,
  authConfig,

  listScans,
  getScan,
  scanGate,
  scanChanges,
  deleteScan,
  previewDeletionOfScan,
  deleteScanWithFindings,

  listFindings,
  exportFindingsCsv,
  exportFindingsSarif,
  updateFindings,
  getFinding,
  updateFinding,
  deleteFinding,
  deleteFindings,
  similarFindings,
  createIssue,
  createSharedIssue,
  listIssues,
  getIssue,
  unlinkFindingIssue,
  findingRefs,
  getActivity,
  createComment,
  updateComment,
  deleteComment,
  listExploits,
  getExploit,

  listActivity,
  exportActivity,
  streamEvents,
  listChanges,
  undoFindingChange,
  listDeletions,
  getDeletion,
  undoDeletion,
  purgeDeletion,
  listViews,
  createView,
  updateView,
  deleteView,

  dashboardStats,
  dashboardTrend,
  dashboardProjects,
  getRevision,
  dashboardMetrics,

  getDueDates,
  updateDueDates,
  getRetention,
  updateRetention,
  previewRetention,
  getStorage,
  getProjectDueDates,
  updateProjectDueDates,

  listRules,
  createRule,
  orderRules,
  previewRule,
  updateRule,
  deleteRule,
  applyRuleToFindings,
  undoRuleChanges,

  listWebhooks,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret,
  listWebhookDeliveries,
  redeliver,

  listIntegrations,
  createIntegration,
  updateIntegration,
  deleteIntegration,
  testIntegration,
  listIntegrationDeliveries,
  redeliverToIntegration,

  createProject,
  createDemoProject,
  listProjects,
  getProject,
  updateProject,
  deleteProject,
  startProjectTransfer,
  getProjectTransfer,
  cancelProjectTransfer,
  uploadReport,
  listProjectMembers,
  getProjectMember,
  setProjectMember,
  removeProjectMember,

  listMembers,
  listMemberProjects,
  inviteMember,
  leaveOrg,
  acceptOwnership,
  declineOwnership,
  resendInvitation,
  updateMember,
  removeMember,

  pushFinding,
  pushFindings,
  listAgentFindings,
  updateAgentFinding,
  attachExploit,
  registerScan,
  endScan,
  scanGone,
  agentScanGate,
  sendReport,
  exchangeCiToken,

  createProjectToken,
  listProjectTokens,
  revokeProjectToken,
  listCiTrusts,
  createCiTrust,
  deleteCiTrust,

  createToken,
  listTokens,
  revokeToken,

  listOrgFeatures,
  updateOrgFeature,

  getSecuritySettings,
  updateSecuritySettings,
  startSso,
  ssoCallback,
  backchannelLogout,
  listIdentities,
  connectIdentity,
  removeIdentity,
  listConnections,
  createConnection,
  updateConnection,
  deleteConnection,
  testConnection,
  getScim,
  createScimToken,
  deleteScimToken,
  listOrgDomains,
  createOrgDomain,
  verifyOrgDomain,
  deleteOrgDomain,

  listAudit,
  exportAuditCsv,
  exportAuditJsonl,

  healthz,
  readyz,
  metrics,
  apiDocs,
  openApiDocument,
  openApiDocumentJson,
} satisfies Endpoints;
