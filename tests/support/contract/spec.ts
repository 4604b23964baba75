const lines = (table: string): string[] =>
  table
    .trim()
    .split(/\n+/)
    .map((line) => line.replaceAll(/ {2,}/g, ' '));

/** The contract's tables of endpoints: method, path, who may call it. */
export const CONTRACT_ENDPOINTS = lines(`
POST   /api/v1/auth/register                              base domain
POST   /api/v1/auth/login                                 base domain
POST   /api/v1/auth/logout                                base domain
GET    /api/v1/auth/me                                    cookie
POST   /api/v1/auth/forgot-password                       base domain
POST   /api/v1/auth/reset-password                        base domain
POST   /api/v1/auth/change-password                       cookie
POST   /api/v1/auth/mfa/validate                          base domain
POST   /api/v1/auth/mfa/send-email-otp                    base domain
POST   /api/v1/auth/verify-email                          base domain

GET    /api/v1/profile/emails                             cookie
POST   /api/v1/profile/emails                             cookie
DELETE /api/v1/profile/emails/{id}                        cookie
POST   /api/v1/profile/emails/{id}/set-primary            cookie
POST   /api/v1/profile/emails/{id}/send-verification      cookie

GET    /api/v1/profile/mfa/devices                        cookie
POST   /api/v1/profile/mfa/devices/totp                   cookie
POST   /api/v1/profile/mfa/devices/totp/{id}/verify       cookie
POST   /api/v1/profile/mfa/devices/email                  cookie
DELETE /api/v1/profile/mfa/devices/{id}                   cookie
POST   /api/v1/profile/mfa/enable                         cookie
POST   /api/v1/profile/mfa/disable                        cookie
GET    /api/v1/profile/mfa/recovery-codes                 cookie
POST   /api/v1/profile/mfa/recovery-codes/regenerate      cookie

GET    /api/v1/profile/sessions                           cookie
DELETE /api/v1/profile/sessions/{id}                      cookie
DELETE /api/v1/profile/sessions                           cookie

POST   /api/v1/orgs                                       cookie
GET    /api/v1/orgs                                       cookie
GET    /api/v1/orgs/{slug}                                cookie

GET    /api/v1/config/features                            cookie
GET    /api/v1/config/auth                                public

GET    /api/v1/scans                                      cookie+org
GET    /api/v1/scans/{id}                                 cookie+org

GET    /api/v1/findings                                   cookie+org
GET    /api/v1/findings/{id}                              cookie+org
PATCH  /api/v1/findings/{id}                              cookie+org, member
GET    /api/v1/findings/{id}/exploits                     cookie+org
GET    /api/v1/findings/{id}/exploits/{eid}               cookie+org

GET    /api/v1/dashboard/stats                            cookie+org

POST   /api/v1/projects                                   cookie+org, member
GET    /api/v1/projects                                   cookie+org
GET    /api/v1/projects/{slug}                            cookie+org

GET    /api/v1/members                                    cookie+org
POST   /api/v1/members/invite                             cookie+org, admin
DELETE /api/v1/members/{userId}                           cookie+org, admin

POST   /api/v1/agent/findings                             bearer
GET    /api/v1/agent/findings                             bearer
PATCH  /api/v1/agent/findings/{id}                        bearer
POST   /api/v1/agent/findings/{id}/exploits               bearer
POST   /api/v1/agent/scans                                bearer
PATCH  /api/v1/agent/scans/{id}                           bearer

POST   /api/v1/projects/{projectId}/tokens                cookie+org
GET    /api/v1/projects/{projectId}/tokens                cookie+org
DELETE /api/v1/projects/{projectId}/tokens/{id}           cookie+org

POST   /api/v1/tokens                                     cookie+org, admin
GET    /api/v1/tokens                                     cookie+org, admin
DELETE /api/v1/tokens/{id}                                cookie+org, admin

GET    /api/v1/org-features                               cookie+org
PATCH  /api/v1/org-features/{flag}                        cookie+org, owner

GET    /healthz                                           public
GET    /readyz                                            public
GET    /metrics                                           public
GET    /api/v1/docs                                       public
GET    /api/v1/docs/openapi.yaml                          public
`);

/** Additions to the contract's endpoints, as docs/api.md lists them. */
export const ADDED_ENDPOINTS = lines(`
GET    /api/v1/docs/openapi.json                          public
GET    /api/v1/findings/export.csv                        cookie+org
GET    /api/v1/findings/export.sarif                      cookie+org
POST   /api/v1/members/leave                              cookie+org
POST   /api/v1/members/{userId}/resend-invitation         cookie+org, admin
PATCH  /api/v1/members/{userId}                           cookie+org, admin
POST   /api/v1/members/accept-ownership                   cookie+org, admin
POST   /api/v1/members/decline-ownership                  cookie+org, admin
GET    /api/v1/auth/session                               public
PATCH  /api/v1/auth/me                                    cookie
DELETE /api/v1/auth/me                                    cookie
GET    /api/v1/auth/me/export                             cookie
POST   /api/v1/auth/step-up                               cookie
POST   /api/v1/auth/step-up/send-email-otp                cookie
POST   /api/v1/auth/step-up/passkey-options               cookie
POST   /api/v1/auth/passkey/options                       base domain
POST   /api/v1/auth/passkey/verify                        base domain
GET    /api/v1/profile/passkeys                           cookie
POST   /api/v1/profile/passkeys                           cookie
POST   /api/v1/profile/passkeys/options                   cookie
PATCH  /api/v1/profile/passkeys/{id}                      cookie
DELETE /api/v1/profile/passkeys/{id}                      cookie
POST   /api/v1/auth/undo-email-change                     base domain
POST   /api/v1/auth/undo-org-change                       base domain
POST   /api/v1/auth/decline-invitation                    base domain
POST   /api/v1/profile/tokens                             cookie
GET    /api/v1/profile/tokens                             cookie
DELETE /api/v1/profile/tokens/{id}                        cookie
GET    /api/v1/profile/notifications                      cookie
PUT    /api/v1/profile/notifications                      cookie
POST   /api/v1/profile/notifications/unsubscribe          public
GET    /api/v1/profile/notifications/unsubscribe          public
GET    /api/v1/scans/{id}/changes                         cookie+org
GET    /api/v1/scans/{id}/gate                            cookie+org
POST   /api/v1/agent/findings/batch                       bearer
POST   /api/v1/agent/reports                              bearer
POST   /api/v1/projects/{id}/reports                      cookie+org, member
GET    /api/v1/agent/scans/{id}/gone                      bearer
GET    /api/v1/agent/scans/{id}/gate                      bearer
PATCH  /api/v1/findings                                   cookie+org, member
PATCH  /api/v1/projects/{slug}                            cookie+org, admin
GET    /api/v1/findings/{id}/activity                     cookie+org
POST   /api/v1/findings/{id}/comments                     cookie+org, member
PATCH  /api/v1/findings/{id}/comments/{commentId}         cookie+org, member
DELETE /api/v1/findings/{id}/comments/{commentId}         cookie+org, member
DELETE /api/v1/projects/{slug}                            cookie+org, admin
POST   /api/v1/projects/demo                              cookie+org, admin
POST   /api/v1/projects/{slug}/transfer                   cookie+org, owner
GET    /api/v1/projects/{slug}/transfer                   cookie+org, owner
DELETE /api/v1/projects/{slug}/transfer                   cookie+org, owner
PATCH  /api/v1/orgs/{slug}                                cookie
DELETE /api/v1/orgs/{slug}                                cookie
POST   /api/v1/orgs/{slug}/restore                        cookie
DELETE /api/v1/findings/{id}                              cookie+org, admin
DELETE /api/v1/scans/{id}                                 cookie+org, admin
GET    /api/v1/activity                                   cookie+org
GET    /api/v1/activity/export.csv                        cookie+org
GET    /api/v1/events                                     cookie+org
GET    /api/v1/audit                                      cookie+org, admin
GET    /api/v1/audit/export.csv                           cookie+org, admin
GET    /api/v1/audit/export.jsonl                         cookie+org, admin
GET    /api/v1/changes                                    cookie+org, member
POST   /api/v1/changes/{id}/undo                          cookie+org, member
POST   /api/v1/findings/delete                            cookie+org, admin
GET    /api/v1/scans/{id}/delete/preview                  cookie+org, admin
POST   /api/v1/scans/{id}/delete                          cookie+org, admin
GET    /api/v1/deletions                                  cookie+org, admin
GET    /api/v1/deletions/{id}                             cookie+org, admin
POST   /api/v1/deletions/{id}/undo                        cookie+org, admin
DELETE /api/v1/deletions/{id}                             cookie+org, admin
GET    /api/v1/dashboard/trend                            cookie+org
GET    /api/v1/dashboard/projects                         cookie+org
GET    /api/v1/revision                                   cookie+org
GET    /api/v1/findings/{id}/similar                      cookie+org
GET    /api/v1/findings/{id}/refs                         cookie+org
GET    /api/v1/findings/{id}/issues                       cookie+org
POST   /api/v1/findings/{id}/issues                       cookie+org, member
POST   /api/v1/findings/issues                            cookie+org, member
GET    /api/v1/findings/{id}/issues/{issueId}             cookie+org
DELETE /api/v1/findings/{id}/issues/{issueId}             cookie+org, member
GET    /api/v1/dashboard/metrics                          cookie+org
GET    /api/v1/views                                      cookie+org
POST   /api/v1/views                                      cookie+org
PATCH  /api/v1/views/{id}                                 cookie+org
DELETE /api/v1/views/{id}                                 cookie+org
GET    /api/v1/settings/due-dates                         cookie+org
PUT    /api/v1/settings/due-dates                         cookie+org, admin
GET    /api/v1/settings/retention                         cookie+org
PUT    /api/v1/settings/retention                         cookie+org, admin
POST   /api/v1/settings/retention/preview                 cookie+org, admin
GET    /api/v1/settings/storage                           cookie+org
GET    /api/v1/projects/{id}/due-dates                    cookie+org
PUT    /api/v1/projects/{id}/due-dates                    cookie+org, admin
GET    /api/v1/rules                                      cookie+org, admin
POST   /api/v1/rules                                      cookie+org, admin
PUT    /api/v1/rules/order                                cookie+org, admin
POST   /api/v1/rules/preview                              cookie+org, admin
PATCH  /api/v1/rules/{id}                                 cookie+org, admin
DELETE /api/v1/rules/{id}                                 cookie+org, admin
POST   /api/v1/rules/{id}/apply                           cookie+org, admin
POST   /api/v1/rules/{id}/undo                            cookie+org, admin
GET    /api/v1/webhooks                                   cookie+org, admin
POST   /api/v1/webhooks                                   cookie+org, admin
PATCH  /api/v1/webhooks/{id}                              cookie+org, admin
DELETE /api/v1/webhooks/{id}                              cookie+org, admin
POST   /api/v1/webhooks/{id}/test                         cookie+org, admin
POST   /api/v1/webhooks/{id}/rotate-secret                cookie+org, admin
GET    /api/v1/webhooks/{id}/deliveries                   cookie+org, admin
POST   /api/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver cookie+org, admin
GET    /api/v1/integrations                               cookie+org, admin
POST   /api/v1/integrations                               cookie+org, admin
PATCH  /api/v1/integrations/{id}                          cookie+org, admin
DELETE /api/v1/integrations/{id}                          cookie+org, admin
POST   /api/v1/integrations/{id}/test                     cookie+org, admin
GET    /api/v1/integrations/{id}/deliveries               cookie+org, admin
POST   /api/v1/integrations/{id}/deliveries/{deliveryId}/redeliver cookie+org, admin
GET    /api/v1/settings/security                          cookie+org
PATCH  /api/v1/settings/security                          cookie+org, admin
GET    /api/v1/auth/sso/start                             base domain
GET    /api/v1/auth/sso/callback                          base domain
POST   /api/v1/auth/sso/backchannel-logout                public
GET    /api/v1/profile/identities                         cookie
POST   /api/v1/profile/identities                         cookie
DELETE /api/v1/profile/identities/{id}                    cookie
GET    /api/v1/settings/connections                       cookie+org, owner
POST   /api/v1/settings/connections                       cookie+org, owner
PATCH  /api/v1/settings/connections/{id}                  cookie+org, owner
DELETE /api/v1/settings/connections/{id}                  cookie+org, owner
POST   /api/v1/settings/connections/{id}/test             cookie+org, owner
GET    /api/v1/settings/domains                           cookie+org, owner
POST   /api/v1/settings/domains                           cookie+org, owner
POST   /api/v1/settings/domains/{id}/verify               cookie+org, owner
DELETE /api/v1/settings/domains/{id}                      cookie+org, owner
GET    /api/v1/projects/{projectId}/ci-trusts             cookie+org
POST   /api/v1/projects/{projectId}/ci-trusts             cookie+org, admin
DELETE /api/v1/projects/{projectId}/ci-trusts/{id}        cookie+org, admin
POST   /api/v1/agent/token                                public
GET    /api/v1/settings/scim                              cookie+org, owner
POST   /api/v1/settings/scim/token                        cookie+org, owner
DELETE /api/v1/settings/scim/token                        cookie+org, owner
GET    /api/v1/members/{userId}/projects                  cookie+org, admin
GET    /api/v1/projects/{id}/members                      cookie+org
GET    /api/v1/projects/{id}/members/{userId}             cookie+org
PUT    /api/v1/projects/{id}/members/{userId}             cookie+org, admin
DELETE /api/v1/projects/{id}/members/{userId}             cookie+org, admin
`);

export const SPEC_ENDPOINTS = [...CONTRACT_ENDPOINTS, ...ADDED_ENDPOINTS];
