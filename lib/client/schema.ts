// Made by `npm run api:generate` from the API's description.

export interface paths {
    "/api/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register
         * @description Creates an account with its own organization and signs it in. A verification link is mailed to the address.
         *
         *     Requires no authentication. Available on the base domain only, when one is configured.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description With the primary or any verified e-mail address of the account. With MFA on, no cookie is set: `/auth/mfa/validate` completes the login.
         *
         *     Requires no authentication. Available on the base domain only, when one is configured.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log out
         * @description Revokes the session, if there is one, and clears the cookie.
         *
         *     Requires no authentication. Available on the base domain only, when one is configured.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the signed-in user
         * @description Requires a session; works on any host.
         */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current session, if there is one
         * @description Combines `/config/auth` and, for a signed-in visitor, `/auth/me`, so that a web page needs one request before it renders. A visitor who is not signed in is not an error.
         *
         *     Requires no authentication.
         */
        get: operations["session"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a password reset link
         * @description The answer and its timing do not depend on whether the address is known.
         *
         *     Requires no authentication. Available on the base domain only, when one is configured.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the password by a mailed link
         * @description Revokes all sessions of the account. The address the link went to counts as verified, and a placeholder account becomes one that can log in. With `SVC_REQUIRE_VERIFIED_EMAIL`, a link that verifies the primary address for the first time also removes what was attached to the account before: other addresses, second factors and memberships by invitation to another address.
         *
         *     Requires no authentication. Available on the base domain only, when one is configured.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * @description Revokes all other sessions and all reset links that were mailed before.
         *
         *     Requires a session; works on any host.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/mfa/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a login with the second factor
         * @description Takes a code of a TOTP or e-mail device, or a recovery code (`is_recovery`, without `device_id`). Each code works once.
         *
         *     Requires no authentication. Available on the base domain only, when one is configured.
         */
        post: operations["validateMfa"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/mfa/send-email-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a one-time code
         * @description Sends the code to an e-mail device. The code has six digits and works once, for five minutes, with the same `mfa_token`. Earlier codes of this `mfa_token` stop working.
         *
         *     Requires no authentication. Available on the base domain only, when one is configured.
         */
        post: operations["sendEmailOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an e-mail address by a mailed link
         * @description When several accounts claim an address, the first account to verify it gets it. Memberships by invitation to the address are confirmed.
         *
         *     Requires no authentication. Available on the base domain only, when one is configured.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/step-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm your identity again
         * @description Required for changes that a stolen session must not allow: for 10 minutes this session may change e-mail addresses and second factors. With MFA on, a `code` is required too: of any TOTP or e-mail device, of the device `device_id`, or a recovery code (`is_recovery`).
         *
         *     Requires a session; works on any host.
         */
        post: operations["stepUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/step-up/send-email-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a one-time code for the step-up
         * @description Sends the code to an e-mail device of the signed-in user. The code has six digits and works once, for five minutes, in the same session. Earlier codes of this session stop working.
         *
         *     Requires a session; works on any host.
         */
        post: operations["sendStepUpOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/undo-email-change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a change of the primary e-mail address
         * @description By the link that was mailed to the former primary address; it works once, for 72 hours. The former address is the primary one again. The new one is removed, and so are addresses and second factors that were added within 7 days before the change or after it. All sessions, mailed links and recovery codes end. The password no longer works: a link to set a new one is mailed to the restored address. 409 `conflict`, and nothing changes, when another account has the address and verified it, or has it while this account had never verified it.
         *
         *     Requires no authentication. Available on the base domain only, when one is configured.
         */
        post: operations["undoEmailChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the e-mail addresses of the account
         * @description Requires a session; works on any host.
         */
        get: operations["listEmails"];
        put?: never;
        /**
         * Add an e-mail address
         * @description Mails a verification link to the address; the mail names the primary address of the account. An unverified address gives no rights.
         *
         *     Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        post: operations["addEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/emails/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an e-mail address
         * @description The primary address cannot be removed. An address that is an MFA device cannot be removed while MFA is on: remove the device first. While MFA is off, the device is removed with the address.
         *
         *     Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        delete: operations["removeEmail"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/emails/{id}/set-primary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a verified e-mail address the primary one
         * @description Mails a link that undoes the change to the former primary address; it works for 72 hours. An id that names no address of the user answers 400.
         *
         *     Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        post: operations["setPrimaryEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/emails/{id}/send-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a verification link
         * @description The link works once, for 24 hours. With `SVC_REQUIRE_VERIFIED_EMAIL`, an account whose primary address is not verified gets links to that address only.
         *
         *     Requires a session; works on any host.
         */
        post: operations["sendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/mfa/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the MFA devices of the account
         * @description Requires a session; works on any host.
         */
        get: operations["listMfaDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/mfa/devices/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an authenticator app
         * @description The device can be used once a code of it is verified. The secret is returned only here.
         *
         *     Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        post: operations["createTotpDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/mfa/devices/totp/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an authenticator app
         * @description Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        post: operations["verifyTotpDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/mfa/devices/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use a verified e-mail address for codes
         * @description Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        post: operations["createEmailDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/mfa/devices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an MFA device
         * @description Removing the last verified device turns MFA off; the message says so.
         *
         *     Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        delete: operations["removeMfaDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/mfa/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn MFA on
         * @description Needs a verified device or a verified e-mail address, from which the service then creates a device. The recovery codes are returned only here.
         *
         *     Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        post: operations["enableMfa"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/mfa/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn MFA off
         * @description Deletes the recovery codes and keeps the devices.
         *
         *     Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        post: operations["disableMfa"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/mfa/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the number of unused recovery codes
         * @description Requires a session; works on any host.
         */
        get: operations["getRecoveryCodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/mfa/recovery-codes/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate new recovery codes
         * @description The old codes stop working. The new codes are returned only here.
         *
         *     Requires a session; works on any host. Requires a sign-in or `POST /auth/step-up` within the last 10 minutes.
         */
        post: operations["regenerateRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the live sessions of the account
         * @description Requires a session; works on any host.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Revoke all sessions but the current one
         * @description Requires a session; works on any host.
         */
        delete: operations["revokeOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a session
         * @description The session stops working with its next request. Revoking the current session logs out.
         *
         *     Requires a session; works on any host.
         */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the user's organizations
         * @description Requires a session; works on any host.
         */
        get: operations["listOrgs"];
        put?: never;
        /**
         * Create an organization
         * @description The caller becomes its owner. Without `slug`, the service derives one from the name; without `plan`, the plan is `free`. Answers 409 `conflict` when the account has reached its limit of created organizations, including those that others own now.
         *
         *     Requires a session; works on any host.
         */
        post: operations["createOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization
         * @description Answers 404 to everybody but its members.
         *
         *     Requires a session; works on any host.
         */
        get: operations["getOrg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/features": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the global feature flags
         * @description Requires a session; works on any host.
         */
        get: operations["listFeatures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the base domain
         * @description Requires no authentication.
         */
        get: operations["authConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List scans
         * @description Requires membership of the organization.
         */
        get: operations["listScans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a scan
         * @description Requires membership of the organization.
         */
        get: operations["getScan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scans/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two scans
         * @description Counts the findings that only this scan reported, that both reported, and that only the other reported. The other scan is `against`, which must be of the same project; without it, the latest completed scan of the same project and persona that started earlier. Without another scan, all findings are new. A running scan is compared with what it has reported so far.
         *
         *     Requires membership of the organization.
         */
        get: operations["scanChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List findings
         * @description Newest first, or by `sort` (`-` for descending). Without `page` and `per_page`, the response streams all findings. `scan_id` selects the findings that the scan reported; with `against` and `change`, those that differ between two scans.
         *
         *     Requires membership of the organization.
         */
        get: operations["listFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Triage findings
         * @description Sets the statuses of up to 500 findings, each listed once. Only agents set `verified`. Findings that do not exist are listed in `failed`; all others are changed.
         *
         *     Requires membership of the organization, at least `member`.
         */
        patch: operations["updateFindings"];
        trace?: never;
    };
    "/api/v1/findings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a finding
         * @description Requires membership of the organization.
         */
        get: operations["getFinding"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Triage a finding
         * @description Any status may be set except `verified`, which only agents set.
         *
         *     Requires membership of the organization, at least `member`.
         */
        patch: operations["updateFinding"];
        trace?: never;
    };
    "/api/v1/findings/{id}/exploits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a finding's exploits
         * @description Requires membership of the organization.
         */
        get: operations["listExploits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/findings/{id}/exploits/{eid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an exploit with its source code
         * @description Requires membership of the organization.
         */
        get: operations["getExploit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dashboard/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an overview
         * @description Counts findings of every status and returns the 10 newest ones.
         *
         *     Requires membership of the organization.
         */
        get: operations["dashboardStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dashboard/trend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get findings over time
         * @description Lists the days (UTC), today last. For each day: the number of findings of every status first reported on it, by severity, and how many of them are unresolved now (`open` or `confirmed`).
         *
         *     Requires membership of the organization.
         */
        get: operations["dashboardTrend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dashboard/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get finding counts by project
         * @description Lists all projects, those with the most critical unresolved findings first. `total` counts findings of every status; the severities count unresolved findings (`open` or `confirmed`).
         *
         *     Requires membership of the organization.
         */
        get: operations["dashboardProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Requires membership of the organization.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description Without `slug`, the service derives one from the name. Answers 409 `conflict` when the organization has reached its limit of projects.
         *
         *     Requires membership of the organization, at least `member`.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a project
         * @description Takes the slug or the id of the project.
         *
         *     Requires membership of the organization.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the organization
         * @description An invited member is shown by the invited address, never by another address of the account. The name is the account’s once the member has used the organization; before that it may be the part of the address before the `@`.
         *
         *     Requires membership of the organization.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/members/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a member
         * @description By the primary or a verified address of an account. The invitation is always mailed. An address without an account gets a placeholder account, which can log in once its owner has set a password by the mailed link. The answer and the list of members show the invited address only, never another address of the account. With `SVC_PENDING_INVITATIONS` the membership is `pending`, without access, until the account has verified the address; without it a member whose address is not `verified` has access at once. Only an owner may invite an owner.
         *
         *     Requires membership of the organization, at least `admin`.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/members/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the organization
         * @description The next request to the organization is refused. API tokens of the member keep working. The last owner cannot leave: an organization needs an owner who can sign in.
         *
         *     Requires membership of the organization.
         */
        post: operations["leaveOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/members/{userId}/resend-invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend an invitation
         * @description Mails the invitation to the invited address of a member who has not verified it. Earlier links keep working.
         *
         *     Requires membership of the organization, at least `admin`.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description The next request of the member to the organization is refused. API tokens of the member keep working. Only owners can remove an owner. Members cannot remove themselves; see `POST /members/leave`.
         *
         *     Requires membership of the organization, at least `admin`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Takes effect with the next request of the member. Only owners can make a member an owner or change the role of an owner, and the last owner stays owner. The same rules apply to the own role: admins can lower their role, and nobody can raise it.
         *
         *     Requires membership of the organization, at least `admin`.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/api/v1/agent/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a project's findings
         * @description For agents that verify fixes, usually with `status=fixed`. Newest first.
         *
         *     Requires an API token of the organization. A project token acts on its project only.
         */
        get: operations["listAgentFindings"];
        put?: never;
        /**
         * Push a finding
         * @description A `fingerprint` identifies a finding within its project. Pushing it again increases `seen_count` and updates the fields that the agent sends; the status stays as users set it. The response is sent after the commit.
         *
         *     Requires an API token of the organization. A project token acts on its project only.
         */
        post: operations["pushFinding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/findings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Verify or reopen a finding
         * @description `verified` confirms a fix, `open` reopens; agents cannot set another status. With `viewer_tokens_verify` off, tokens whose creator is a viewer or no longer a member cannot set `verified`.
         *
         *     Requires an API token of the organization. A project token acts on its project only.
         */
        patch: operations["updateAgentFinding"];
        trace?: never;
    };
    "/api/v1/agent/findings/{id}/exploits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attach an exploit
         * @description Requires an API token of the organization. A project token acts on its project only.
         */
        post: operations["attachExploit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/scans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a scan
         * @description Must precede the findings of the scan. Agents choose `scan_id`, a UUID v7. `project` may name the project by its slug instead of `project_id`.
         *
         *     Requires an API token of the organization. A project token acts on its project only.
         */
        post: operations["registerScan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/scans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Complete or fail a scan
         * @description The server counts the findings of the scan by severity. Repeating the call with the same status changes nothing; with the other status it is a conflict.
         *
         *     Requires an API token of the organization. A project token acts on its project only.
         */
        patch: operations["endScan"];
        trace?: never;
    };
    "/api/v1/projects/{projectId}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a project's tokens
         * @description Returns prefix and metadata only, newest first.
         *
         *     Requires membership of the organization.
         */
        get: operations["listProjectTokens"];
        put?: never;
        /**
         * Create a project token
         * @description The full token is returned only here. Answers 409 `conflict` when the organization or the project has reached its limit of active tokens.
         *
         *     Requires membership of the organization.
         */
        post: operations["createProjectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{projectId}/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a project token
         * @description The token stops working with its next request and cannot be restored. Revoking it again changes nothing.
         *
         *     Requires membership of the organization.
         */
        delete: operations["revokeProjectToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all tokens of the organization
         * @description Org-wide tokens and tokens of projects, with prefix and metadata only.
         *
         *     Requires membership of the organization, at least `admin`.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create an org-wide token
         * @description The token acts on all projects. Requires the feature flag `org_wide_tokens`. The full token is returned only here. Answers 409 `conflict` when the organization has reached its limit of active tokens.
         *
         *     Requires membership of the organization, at least `admin`.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token of the organization
         * @description Takes an org-wide token or a token of a project. The token stops working with its next request and cannot be restored. Revoking it again changes nothing.
         *
         *     Requires membership of the organization, at least `admin`.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/org-features": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the feature flags of the organization
         * @description A flag is active when it is both provisioned and enabled.
         *
         *     Requires membership of the organization.
         */
        get: operations["listOrgFeatures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/org-features/{flag}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Turn a feature flag of the organization on or off
         * @description A platform administrator must have provisioned the flag. With `require_mfa` on, members without MFA lose access at once, including the owner who turned it on.
         *
         *     Requires membership of the organization, at least `owner`.
         */
        patch: operations["updateOrgFeature"];
        trace?: never;
    };
    "/api/v1/settings/security": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the security settings of the organization
         * @description Any member may read them.
         *
         *     Requires membership of the organization.
         */
        get: operations["getSecuritySettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the security settings of the organization
         * @description Takes effect with the next request of an agent.
         *
         *     Requires membership of the organization, at least `admin`.
         */
        patch: operations["updateSecuritySettings"];
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether the service is healthy
         * @description Requires no authentication.
         */
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether the service can take requests
         * @description Requires no authentication.
         */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics of this server
         * @description In strict mode the hosts of organizations answer 404. The metrics are served at IP addresses, host names of one label, the base domain, the public host and `SVC_METRICS_HOSTS`.
         *
         *     Requires no authentication.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the interactive documentation
         * @description Requires no authentication.
         */
        get: operations["apiDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/docs/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document
         * @description Requires no authentication.
         */
        get: operations["openApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        User: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /** @example ada@example.com */
            email: string;
            /** @example Ada Lovelace */
            name: string;
            /**
             * @description Empty when there is none.
             * @example
             */
            avatar_url: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        ErrorEnvelope: {
            /** @enum {boolean} */
            success: false;
            /**
             * @description The same value as in the `X-Request-ID` header.
             * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
             */
            request_id: string;
            errors: components["schemas"]["Error"][];
        };
        Error: {
            /** @enum {string} */
            type: "auth_error" | "token_error" | "tenant_error" | "resource_error" | "validation_error" | "permission_error" | "rate_limit_error" | "server_error";
            /**
             * @description Stable. Each operation lists its codes.
             * @enum {string}
             */
            code: "not_authenticated" | "invalid_credentials" | "mfa_invalid_code" | "session_revoked" | "base_domain_only" | "invalid" | "expired" | "scope_mismatch" | "invalid_format" | "not_found" | "not_member" | "slug_taken" | "slug_reserved" | "method_not_allowed" | "conflict" | "already_exists" | "invalid_request" | "invalid_body" | "field_required" | "field_invalid" | "denied" | "feature_disabled" | "mfa_required_by_org" | "feature_not_provisioned" | "step_up_required" | "email_not_verified" | "exceeded" | "internal" | "unavailable";
            /** @example E40001 */
            ref: string;
            /**
             * @description For people. It may change.
             * @example Not found.
             */
            message: string;
            /** @description Every field that is missing or invalid. */
            details?: {
                /** @example title */
                field: string;
                /** @example is required */
                message: string;
            }[];
        };
        Account: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /** @example ada@example.com */
            email: string;
            /** @example Ada Lovelace */
            name: string;
            /**
             * @description Empty when there is none.
             * @example
             */
            avatar_url: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /** @example true */
            mfa_enabled: boolean;
        };
        Organization: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /** @example Acme */
            name: string;
            /** @example acme */
            slug: string;
            /** @enum {string} */
            plan: "free" | "pro" | "enterprise";
            /** @example findings.acme.example */
            custom_domain?: string;
            /** @example 2 */
            schema_version: number;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * @description The caller's.
             * @enum {string}
             */
            role: "owner" | "admin" | "member" | "viewer";
        };
        UserEmail: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /** @example ada@example.com */
            email: string;
            /** @example true */
            is_primary: boolean;
            /** @example true */
            verified: boolean;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            verified_at?: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        MfaDevice: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /** @example Phone */
            name: string;
            /** @enum {string} */
            type: "totp" | "email";
            /** @example true */
            verified: boolean;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            last_used_at?: string;
        };
        Session: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /** @example 203.0.113.7 */
            ip_address: string;
            /** @example Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 */
            user_agent: string;
            /** @example Firefox 140 */
            browser: string;
            /** @example Linux */
            os: string;
            /** @example desktop */
            device_type: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            last_active_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            expires_at: string;
            /** @example true */
            current: boolean;
        };
        Feature: {
            /** @example signup */
            name: string;
            /** @example true */
            enabled: boolean;
            /** @example Anybody may register. */
            description: string;
        };
        Scan: {
            /**
             * @description The same as `scan_id`.
             * @example 01890a5d-ac96-774b-bcce-b302099a8057
             */
            id: string;
            /** @example 01890a5d-ac96-774b-bcce-b302099a8057 */
            scan_id: string;
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            project_id: string;
            /** @enum {string} */
            persona: "sharingan" | "senku" | "killua";
            /** @example Nightly audit */
            name: string;
            target?: components["schemas"]["ScanTarget"];
            /**
             * @example completed
             * @enum {string}
             */
            status: "running" | "completed" | "failed";
            /** @example The scanner ran out of memory. */
            error_message?: string;
            /** @example 42 */
            finding_count: number;
            summary?: components["schemas"]["SeveritySummary"];
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            completed_at?: string;
        };
        ScanTarget: {
            /** @example repository */
            type?: string;
            /** @example services/web */
            path?: string;
            /** @example https://git.example.com/acme/web-shop */
            url?: string;
            /** @example main */
            ref?: string;
        };
        /** @description Once the scan has ended. */
        SeveritySummary: {
            /** @example 42 */
            total: number;
            /** @example 1 */
            critical: number;
            /** @example 5 */
            high: number;
            /** @example 12 */
            medium: number;
            /** @example 20 */
            low: number;
            /** @example 4 */
            info: number;
        };
        /** @description Present if the request has `page` or `per_page`. */
        ResultInfo: {
            /** @example 1 */
            page: number;
            /** @example 50 */
            per_page: number;
            /** @example 120 */
            total: number;
            /** @example 3 */
            total_pages: number;
            /** @example true */
            has_next: boolean;
            /** @example false */
            has_prev: boolean;
        };
        ListedFinding: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /**
             * @description The scan that reported it first.
             * @example 01890a5d-ac96-774b-bcce-b302099a8057
             */
            scan_id: string;
            /** @example 01890a5d-ac96-774b-bcce-b302099a8057 */
            last_scan_id: string;
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            project_id: string;
            /** @example sqli-search-7f3a */
            fingerprint: string;
            /** @example SQL injection in search */
            title: string;
            /** @enum {string} */
            severity: "critical" | "high" | "medium" | "low" | "info";
            /**
             * @description Markdown. Absent when omitted.
             * @example User input reaches the **query**.
             */
            description?: string;
            /** @example CWE-89 */
            cwe?: string;
            /** @example CVE-2026-12345 */
            cve?: string;
            /** @example 9.8 */
            cvss_score?: number;
            /** @example CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H */
            cvss_vector?: string;
            /** @example src/search.ts */
            file?: string;
            /** @example 42 */
            line?: number;
            /** @example semgrep */
            source?: string;
            /** @enum {string} */
            status: "open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified";
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            status_changed_at: string;
            /**
             * @description Seen again after it was fixed or verified.
             * @example false
             */
            regressed: boolean;
            /** @example 3 */
            seen_count: number;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            last_seen_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
        };
        /** @description One run, its results in the order of the list. */
        SarifLog: {
            /** @example https://json.schemastore.org/sarif-2.1.0.json */
            $schema: string;
            /** @enum {string} */
            version: "2.1.0";
            runs: {
                results: {
                    /** @example CWE-89 */
                    ruleId: string;
                    /** @enum {string} */
                    level: "error" | "warning" | "note";
                    message: {
                        /**
                         * @description The title.
                         * @example SQL injection in search
                         */
                        text: string;
                        /**
                         * @description The description.
                         * @example User input reaches the **query**.
                         */
                        markdown?: string;
                    };
                    locations?: {
                        physicalLocation: {
                            artifactLocation: {
                                /** @example src/search.ts */
                                uri: string;
                            };
                            region?: {
                                /** @example 42 */
                                startLine: number;
                            };
                        };
                    }[];
                    fingerprints: {
                        /** @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07/sqli-search-7f3a */
                        "svcFindings/v1": string;
                    };
                    partialFingerprints: {
                        /** @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07/sqli-search-7f3a */
                        primaryLocationLineHash: string;
                    };
                    /**
                     * @description It was fixed.
                     * @enum {string}
                     */
                    baselineState?: "absent";
                    suppressions?: {
                        /** @enum {string} */
                        kind: "external";
                        /** @enum {string} */
                        status: "accepted";
                        /** @example False positive */
                        justification: string;
                    }[];
                    provenance: {
                        /**
                         * Format: date-time
                         * @example 2026-01-01T00:00:00.000Z
                         */
                        firstDetectionTimeUtc: string;
                        /**
                         * Format: date-time
                         * @example 2026-01-01T00:00:00.000Z
                         */
                        lastDetectionTimeUtc: string;
                    };
                    properties: {
                        /**
                         * Format: uuid
                         * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
                         */
                        id: string;
                        /**
                         * @description The scan that reported it first.
                         * @example 01890a5d-ac96-774b-bcce-b302099a8057
                         */
                        scan_id: string;
                        /** @example 01890a5d-ac96-774b-bcce-b302099a8057 */
                        last_scan_id: string;
                        /**
                         * Format: uuid
                         * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
                         */
                        project_id: string;
                        /** @enum {string} */
                        severity: "critical" | "high" | "medium" | "low" | "info";
                        /** @example CWE-89 */
                        cwe?: string;
                        /** @example CVE-2026-12345 */
                        cve?: string;
                        /** @example 9.8 */
                        cvss_score?: number;
                        /** @example CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H */
                        cvss_vector?: string;
                        /** @example semgrep */
                        source?: string;
                        /** @enum {string} */
                        status: "open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified";
                        /**
                         * Format: date-time
                         * @example 2026-01-01T00:00:00.000Z
                         */
                        status_changed_at: string;
                        /**
                         * @description Seen again after it was fixed or verified.
                         * @example false
                         */
                        regressed: boolean;
                        /** @example 3 */
                        seen_count: number;
                        /**
                         * Format: date-time
                         * @example 2026-01-01T00:00:00.000Z
                         */
                        last_seen_at: string;
                        /**
                         * Format: date-time
                         * @example 2026-01-01T00:00:00.000Z
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @example 2026-01-01T00:00:00.000Z
                         */
                        updated_at: string;
                        /** @example web-shop */
                        project_slug: string;
                        /** @example Web shop */
                        project_name: string;
                        tags: string[];
                        /**
                         * @description The CVSS score, where that says the same as the severity; else one that does.
                         * @example 9.8
                         */
                        "security-severity": string;
                    };
                }[];
                tool: {
                    driver: {
                        /** @enum {string} */
                        name: "svc-findings";
                        rules: {
                            /**
                             * @description The CVE, else the CWE, else what found it.
                             * @example CWE-89
                             */
                            id: string;
                            shortDescription: {
                                /** @example CWE-89 */
                                text: string;
                            };
                            /** @example https://cwe.mitre.org/data/definitions/89.html */
                            helpUri?: string;
                            properties: {
                                tags: string[];
                                /**
                                 * @description The highest of its results.
                                 * @example 9.8
                                 */
                                "security-severity": string;
                            };
                        }[];
                    };
                };
            }[];
        };
        Finding: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /**
             * @description The scan that reported it first.
             * @example 01890a5d-ac96-774b-bcce-b302099a8057
             */
            scan_id: string;
            /** @example 01890a5d-ac96-774b-bcce-b302099a8057 */
            last_scan_id: string;
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            project_id: string;
            /** @example sqli-search-7f3a */
            fingerprint: string;
            /** @example SQL injection in search */
            title: string;
            /** @enum {string} */
            severity: "critical" | "high" | "medium" | "low" | "info";
            /**
             * @description Markdown.
             * @example User input reaches the **query**.
             */
            description: string;
            /** @example CWE-89 */
            cwe?: string;
            /** @example CVE-2026-12345 */
            cve?: string;
            /** @example 9.8 */
            cvss_score?: number;
            /** @example CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H */
            cvss_vector?: string;
            /** @example src/search.ts */
            file?: string;
            /** @example 42 */
            line?: number;
            /** @example semgrep */
            source?: string;
            /** @enum {string} */
            status: "open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified";
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            status_changed_at: string;
            /**
             * @description Seen again after it was fixed or verified.
             * @example false
             */
            regressed: boolean;
            /** @example 3 */
            seen_count: number;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            last_seen_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
        };
        Exploit: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            finding_id: string;
            /** @example poc.py */
            filename: string;
            /** @example python */
            language: string;
            /** @example print(1) */
            code: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        Project: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /** @example Web shop */
            name: string;
            /** @example web-shop */
            slug: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        Member: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            user_id: string;
            /**
             * @description The invited address; of others the primary one.
             * @example grace@example.com
             */
            email: string;
            /** @example Grace Hopper */
            name: string;
            /**
             * @description Empty when there is none.
             * @example
             */
            avatar_url: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "viewer";
            /**
             * @description The account has verified the address.
             * @example true
             */
            verified: boolean;
            /**
             * @description No access yet, until the address is verified.
             * @example false
             */
            pending: boolean;
        };
        PushedFinding: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /**
             * @description The scan that reported it first.
             * @example 01890a5d-ac96-774b-bcce-b302099a8057
             */
            scan_id: string;
            /** @example 01890a5d-ac96-774b-bcce-b302099a8057 */
            last_scan_id: string;
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            project_id: string;
            /** @example sqli-search-7f3a */
            fingerprint: string;
            /** @example SQL injection in search */
            title: string;
            /** @enum {string} */
            severity: "critical" | "high" | "medium" | "low" | "info";
            /**
             * @description Markdown.
             * @example User input reaches the **query**.
             */
            description: string;
            /** @example CWE-89 */
            cwe?: string;
            /** @example CVE-2026-12345 */
            cve?: string;
            /** @example 9.8 */
            cvss_score?: number;
            /** @example CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H */
            cvss_vector?: string;
            /** @example src/search.ts */
            file?: string;
            /** @example 42 */
            line?: number;
            /** @example semgrep */
            source?: string;
            /** @enum {string} */
            status: "open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified";
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            status_changed_at: string;
            /**
             * @description Seen again after it was fixed or verified.
             * @example false
             */
            regressed: boolean;
            /** @example 3 */
            seen_count: number;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            last_seen_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description It was known before.
             * @example false
             */
            deduplicated: boolean;
        };
        FindingInput: {
            /** @example 01890a5d-ac96-774b-bcce-b302099a8057 */
            scan_id: string;
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            project_id: string;
            /** @example sqli-search-7f3a */
            fingerprint: string;
            /** @example SQL injection in search */
            title: string;
            /** @enum {string} */
            severity: "critical" | "high" | "medium" | "low" | "info";
            /**
             * @description At most 102400 bytes in UTF-8.
             * @example User input reaches the **query**.
             */
            description: string;
            /** @example CWE-89 */
            cwe?: string | null;
            /** @example CVE-2026-12345 */
            cve?: string | null;
            /** @example 9.8 */
            cvss_score?: number | null;
            /** @example CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H */
            cvss_vector?: string | null;
            /** @example src/search.ts */
            file?: string | null;
            /** @example 42 */
            line?: number | null;
            /** @example semgrep */
            source?: string | null;
        };
        ApiToken: {
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            id: string;
            /**
             * @description Empty for org-wide tokens.
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            project_id: string;
            /** @example ci */
            name: string;
            /** @example svc_5f0c1f4b */
            prefix: string;
            /**
             * Format: uuid
             * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
             */
            created_by: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            expires_at?: string;
            /** @example false */
            revoked: boolean;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-01T00:00:00.000Z
             */
            last_used?: string;
        };
        OrgFeature: {
            /** @example org_wide_tokens */
            name: string;
            /**
             * @description Set by platform administrators.
             * @example true
             */
            provisioned: boolean;
            /**
             * @description Set by the organization's owner.
             * @example true
             */
            enabled: boolean;
            /** @example Allow org-wide API tokens. */
            description: string;
        };
        SecuritySettings: {
            /**
             * @description Whether API tokens made by viewers may confirm fixes (status `verified`). On by default. Off, it is also refused to tokens whose creator has become a viewer or left.
             * @example true
             */
            viewer_tokens_verify: boolean;
        };
    };
    responses: never;
    parameters: {
        /** @description Selects the organization, such as `acme`, if no base domain is configured. */
        OrgSlug: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "Correct1horse",
                 *       "name": "Ada Lovelace"
                 *     }
                 */
                "application/json": {
                    /** @example ada@example.com */
                    email: string;
                    /**
                     * Format: password
                     * @description must have 8 to 256 characters with an upper-case letter, a lower-case letter and a digit
                     * @example Correct1horse
                     */
                    password: string & (unknown & unknown & unknown);
                    /** @example Ada Lovelace */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The account; the session cookie is set. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "user": {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "email": "ada@example.com",
                     *           "name": "Ada Lovelace",
                     *           "avatar_url": "",
                     *           "created_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       },
                     *       "message": "Registration successful."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            user: components["schemas"]["User"];
                        };
                        /** @example Registration successful. */
                        message: string;
                    };
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "Correct1horse"
                 *     }
                 */
                "application/json": {
                    /** @example ada@example.com */
                    email: string;
                    /**
                     * Format: password
                     * @example Correct1horse
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The user and the session cookie; with MFA on, the token and the devices for the second factor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "user": {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "email": "ada@example.com",
                     *           "name": "Ada Lovelace",
                     *           "avatar_url": "",
                     *           "created_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            user: components["schemas"]["User"];
                        } | {
                            /** @enum {boolean} */
                            mfa_required: true;
                            /**
                             * @description For `/auth/mfa/validate`, within five minutes.
                             * @example eyJhbGciOiJIUzI1NiJ9.eyJ.sig
                             */
                            mfa_token: string;
                            mfa_methods: {
                                /**
                                 * Format: uuid
                                 * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
                                 */
                                id: string;
                                /** @enum {string} */
                                type: "totp" | "email";
                                /** @example Phone */
                                name: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cookie is cleared. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "Logged out."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example Logged out. */
                        message: string;
                    };
                };
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The signed-in user and their organizations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "user": {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "email": "ada@example.com",
                     *           "name": "Ada Lovelace",
                     *           "avatar_url": "",
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "mfa_enabled": true
                     *         },
                     *         "orgs": [
                     *           {
                     *             "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "name": "Acme",
                     *             "slug": "acme",
                     *             "plan": "free",
                     *             "custom_domain": "findings.acme.example",
                     *             "schema_version": 2,
                     *             "created_at": "2026-01-01T00:00:00.000Z",
                     *             "role": "owner"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            user: components["schemas"]["Account"];
                            orgs: components["schemas"]["Organization"][];
                        };
                    };
                };
            };
        };
    };
    session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The base domain (empty when none is configured); for a signed-in visitor also the user and their organizations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "base_domain": "findings.example.com",
                     *         "user": {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "email": "ada@example.com",
                     *           "name": "Ada Lovelace",
                     *           "avatar_url": "",
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "mfa_enabled": true
                     *         },
                     *         "email_verification_required": true,
                     *         "orgs": [
                     *           {
                     *             "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "name": "Acme",
                     *             "slug": "acme",
                     *             "plan": "free",
                     *             "custom_domain": "findings.acme.example",
                     *             "schema_version": 2,
                     *             "created_at": "2026-01-01T00:00:00.000Z",
                     *             "role": "owner"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            /** @example findings.example.com */
                            base_domain: string;
                            user?: components["schemas"]["Account"];
                            /**
                             * @description Present when the account must verify its primary address before it can do anything else.
                             * @enum {boolean}
                             */
                            email_verification_required?: true;
                            orgs: components["schemas"]["Organization"][];
                        };
                    };
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    /** @example ada@example.com */
                    email: string;
                };
            };
        };
        responses: {
            /** @description If the address belongs to an account, a link was sent. It works once, for one hour. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "If the address belongs to an account, a link to reset the password is on its way."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example If the address belongs to an account, a link to reset the password is on its way. */
                        message: string;
                    };
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3",
                 *       "password": "Correct1horse"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The token of the link: 64 hex digits.
                     * @example f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3
                     */
                    token: string;
                    /**
                     * Format: password
                     * @description must have 8 to 256 characters with an upper-case letter, a lower-case letter and a digit
                     * @example Correct1horse
                     */
                    password: string & (unknown & unknown & unknown);
                };
            };
        };
        responses: {
            /** @description The password is changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "The password was changed. Log in with the new one."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example The password was changed. Log in with the new one. */
                        message: string;
                    };
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "Correct1horse",
                 *       "new_password": "Correct1horse"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @example Correct1horse
                     */
                    current_password: string;
                    /**
                     * Format: password
                     * @description must have 8 to 256 characters with an upper-case letter, a lower-case letter and a digit
                     * @example Correct1horse
                     */
                    new_password: string & (unknown & unknown & unknown);
                };
            };
        };
        responses: {
            /** @description The password is changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "The password was changed."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example The password was changed. */
                        message: string;
                    };
                };
            };
        };
    };
    validateMfa: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mfa_token": "eyJhbGciOiJIUzI1NiJ9.eyJ.sig",
                 *       "device_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                 *       "code": "123456",
                 *       "is_recovery": false
                 *     }
                 */
                "application/json": {
                    /** @example eyJhbGciOiJIUzI1NiJ9.eyJ.sig */
                    mfa_token: string;
                    /** @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07 */
                    device_id?: string | null;
                    /** @example 123456 */
                    code: string;
                    /** @example false */
                    is_recovery?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The user; the session cookie is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "user": {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "email": "ada@example.com",
                     *           "name": "Ada Lovelace",
                     *           "avatar_url": "",
                     *           "created_at": "2026-01-01T00:00:00.000Z"
                     *         },
                     *         "recovery_codes_remaining": 7
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            user: components["schemas"]["User"];
                            /** @example 7 */
                            recovery_codes_remaining?: number;
                        };
                    };
                };
            };
        };
    };
    sendEmailOtp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mfa_token": "eyJhbGciOiJIUzI1NiJ9.eyJ.sig",
                 *       "device_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07"
                 *     }
                 */
                "application/json": {
                    /** @example eyJhbGciOiJIUzI1NiJ9.eyJ.sig */
                    mfa_token: string;
                    /** @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07 */
                    device_id: string;
                };
            };
        };
        responses: {
            /** @description The code was sent; the message shows the masked address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "A code was sent to a***@example.com."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example A code was sent to a***@example.com. */
                        message: string;
                    };
                };
            };
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3",
                 *       "email_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The token of the link: 64 hex digits.
                     * @example f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3
                     */
                    token: string;
                    /**
                     * Format: uuid
                     * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
                     */
                    email_id: string;
                };
            };
        };
        responses: {
            /** @description The address is verified. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "The e-mail address is verified."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example The e-mail address is verified. */
                        message: string;
                    };
                };
            };
        };
    };
    stepUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "Correct1horse",
                 *       "code": "123456",
                 *       "device_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                 *       "is_recovery": false
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @example Correct1horse
                     */
                    password: string;
                    /** @example 123456 */
                    code?: string | null;
                    /** @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07 */
                    device_id?: string | null;
                    /** @example false */
                    is_recovery?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Confirmed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "Confirmed for the next 10 minutes."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example Confirmed for the next 10 minutes. */
                        message: string;
                    };
                };
            };
        };
    };
    sendStepUpOtp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "device_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07"
                 *     }
                 */
                "application/json": {
                    /** @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07 */
                    device_id: string;
                };
            };
        };
        responses: {
            /** @description The code was sent; the message shows the masked address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "A code was sent to a***@example.com."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example A code was sent to a***@example.com. */
                        message: string;
                    };
                };
            };
        };
    };
    undoEmailChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The token of the link: 64 hex digits.
                     * @example f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The address is the primary one again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "The address was restored. A link to set a new password is on its way to it."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example The address was restored. A link to set a new password is on its way to it. */
                        message: string;
                    };
                };
            };
        };
    };
    listEmails: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The addresses, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "emails": [
                     *           {
                     *             "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "email": "ada@example.com",
                     *             "is_primary": true,
                     *             "verified": true,
                     *             "verified_at": "2026-01-01T00:00:00.000Z",
                     *             "created_at": "2026-01-01T00:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            emails: components["schemas"]["UserEmail"][];
                        };
                    };
                };
            };
        };
    };
    addEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    /** @example ada@example.com */
                    email: string;
                };
            };
        };
        responses: {
            /** @description The address, unverified. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "email": "ada@example.com",
                     *         "is_primary": true,
                     *         "verified": true,
                     *         "verified_at": "2026-01-01T00:00:00.000Z",
                     *         "created_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["UserEmail"];
                    };
                };
            };
        };
    };
    removeEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    setPrimaryEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address is the primary one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "The primary e-mail address was changed."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example The primary e-mail address was changed. */
                        message: string;
                    };
                };
            };
        };
    };
    sendVerification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link was sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "A verification link is on its way."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example A verification link is on its way. */
                        message: string;
                    };
                };
            };
        };
    };
    listMfaDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The devices, newest first, and whether MFA is on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "devices": [
                     *           {
                     *             "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "name": "Phone",
                     *             "type": "totp",
                     *             "verified": true,
                     *             "last_used_at": "2026-01-01T00:00:00.000Z"
                     *           }
                     *         ],
                     *         "mfa_enabled": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            devices: components["schemas"]["MfaDevice"][];
                            mfa_enabled: boolean;
                        };
                    };
                };
            };
        };
    };
    createTotpDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Phone"
                 *     }
                 */
                "application/json": {
                    /** @example Phone */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The device, unverified, and its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "device": {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "name": "Phone",
                     *           "type": "totp",
                     *           "verified": true,
                     *           "last_used_at": "2026-01-01T00:00:00.000Z"
                     *         },
                     *         "secret": "JBSWY3DPEHPK3PXP",
                     *         "url": "otpauth://totp/Security%20Findings:ada%40example.com?secret=JBSWY3DPEHPK3PXP"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            device: components["schemas"]["MfaDevice"];
                            /**
                             * @description Base32.
                             * @example JBSWY3DPEHPK3PXP
                             */
                            secret: string;
                            /**
                             * @description To be shown as a QR code.
                             * @example otpauth://totp/Security%20Findings:ada%40example.com?secret=JBSWY3DPEHPK3PXP
                             */
                            url: string;
                        };
                    };
                };
            };
        };
    };
    verifyTotpDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": {
                    /** @example 123456 */
                    code: string;
                };
            };
        };
        responses: {
            /** @description The device is verified. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "The device is verified."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example The device is verified. */
                        message: string;
                    };
                };
            };
        };
    };
    createEmailDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
                     */
                    email_id: string;
                };
            };
        };
        responses: {
            /** @description The device, already verified. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "name": "Phone",
                     *         "type": "totp",
                     *         "verified": true,
                     *         "last_used_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["MfaDevice"];
                    };
                };
            };
        };
    };
    removeMfaDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "Correct1horse"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @example Correct1horse
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "The device was removed."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example The device was removed. */
                        message: string;
                    };
                };
            };
        };
    };
    enableMfa: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description MFA is on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "recovery_codes": [
                     *           "kqzt-mvhr-pwcx-2hdn-9rju-e4ks"
                     *         ]
                     *       },
                     *       "message": "Multi-factor authentication is on. Keep the recovery codes safe."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            recovery_codes: string[];
                        };
                        /** @example Multi-factor authentication is on. Keep the recovery codes safe. */
                        message: string;
                    };
                };
            };
        };
    };
    disableMfa: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "Correct1horse"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @example Correct1horse
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description MFA is off. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "Multi-factor authentication is off."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example Multi-factor authentication is off. */
                        message: string;
                    };
                };
            };
        };
    };
    getRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of unused codes. The codes themselves are returned only when they are generated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "remaining": 7,
                     *         "total": 8
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            /** @example 7 */
                            remaining: number;
                            /** @example 8 */
                            total: number;
                        };
                    };
                };
            };
        };
    };
    regenerateRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "Correct1horse"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @example Correct1horse
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The new codes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "recovery_codes": [
                     *           "kqzt-mvhr-pwcx-2hdn-9rju-e4ks"
                     *         ]
                     *       },
                     *       "message": "New recovery codes were made; the old ones no longer work."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            recovery_codes: string[];
                        };
                        /** @example New recovery codes were made; the old ones no longer work. */
                        message: string;
                    };
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions, newest first; `current` marks the session of this request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "sessions": [
                     *           {
                     *             "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "ip_address": "203.0.113.7",
                     *             "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                     *             "browser": "Firefox 140",
                     *             "os": "Linux",
                     *             "device_type": "desktop",
                     *             "created_at": "2026-01-01T00:00:00.000Z",
                     *             "last_active_at": "2026-01-01T00:00:00.000Z",
                     *             "expires_at": "2026-01-01T00:00:00.000Z",
                     *             "current": true
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            sessions: components["schemas"]["Session"][];
                        };
                    };
                };
            };
        };
    };
    revokeOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "2 sessions were revoked."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example 2 sessions were revoked. */
                        message: string;
                    };
                };
            };
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOrgs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organizations, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "name": "Acme",
                     *           "slug": "acme",
                     *           "plan": "free",
                     *           "custom_domain": "findings.acme.example",
                     *           "schema_version": 2,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "role": "owner"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Organization"][];
                    };
                };
            };
        };
    };
    createOrg: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "slug": "acme",
                 *       "plan": "free"
                 *     }
                 */
                "application/json": {
                    /** @example Acme */
                    name: string;
                    /** @example acme */
                    slug?: string | null;
                    /** @enum {string|null} */
                    plan?: "free" | "pro" | "enterprise" | null;
                };
            };
        };
        responses: {
            /** @description The organization. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "plan": "free",
                     *         "custom_domain": "findings.acme.example",
                     *         "schema_version": 2,
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "role": "owner"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Organization"];
                    };
                };
            };
        };
    };
    getOrg: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "plan": "free",
                     *         "custom_domain": "findings.acme.example",
                     *         "schema_version": 2,
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "role": "owner"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Organization"];
                    };
                };
            };
        };
    };
    listFeatures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The flags, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "name": "signup",
                     *           "enabled": true,
                     *           "description": "Anybody may register."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Feature"][];
                    };
                };
            };
        };
    };
    authConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The base domain; empty when none is configured. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "base_domain": "findings.example.com"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            /** @example findings.example.com */
                            base_domain: string;
                        };
                    };
                };
            };
        };
    };
    listScans: {
        parameters: {
            query?: {
                project_id?: string;
                /** @description One or more values: repeat the parameter or separate the values by commas. */
                status?: ("running" | "completed" | "failed")[];
                page?: number;
                per_page?: number;
            };
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scans, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *           "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *           "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "persona": "sharingan",
                     *           "name": "Nightly audit",
                     *           "target": {
                     *             "type": "repository",
                     *             "path": "services/web",
                     *             "url": "https://git.example.com/acme/web-shop",
                     *             "ref": "main"
                     *           },
                     *           "status": "completed",
                     *           "error_message": "The scanner ran out of memory.",
                     *           "finding_count": 42,
                     *           "summary": {
                     *             "total": 42,
                     *             "critical": 1,
                     *             "high": 5,
                     *             "medium": 12,
                     *             "low": 20,
                     *             "info": 4
                     *           },
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "started_at": "2026-01-01T00:00:00.000Z",
                     *           "completed_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "result_info": {
                     *         "page": 1,
                     *         "per_page": 50,
                     *         "total": 120,
                     *         "total_pages": 3,
                     *         "has_next": true,
                     *         "has_prev": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Scan"][];
                        result_info?: components["schemas"]["ResultInfo"];
                    };
                };
            };
        };
    };
    getScan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scan with its counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "persona": "sharingan",
                     *         "name": "Nightly audit",
                     *         "target": {
                     *           "type": "repository",
                     *           "path": "services/web",
                     *           "url": "https://git.example.com/acme/web-shop",
                     *           "ref": "main"
                     *         },
                     *         "status": "completed",
                     *         "error_message": "The scanner ran out of memory.",
                     *         "finding_count": 42,
                     *         "summary": {
                     *           "total": 42,
                     *           "critical": 1,
                     *           "high": 5,
                     *           "medium": 12,
                     *           "low": 20,
                     *           "info": 4
                     *         },
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "started_at": "2026-01-01T00:00:00.000Z",
                     *         "completed_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Scan"];
                    };
                };
            };
        };
    };
    scanChanges: {
        parameters: {
            query?: {
                against?: string;
            };
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The other scan, if there is one, and the counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "against": {
                     *           "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *           "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *           "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "persona": "sharingan",
                     *           "name": "Nightly audit",
                     *           "target": {
                     *             "type": "repository",
                     *             "path": "services/web",
                     *             "url": "https://git.example.com/acme/web-shop",
                     *             "ref": "main"
                     *           },
                     *           "status": "completed",
                     *           "error_message": "The scanner ran out of memory.",
                     *           "finding_count": 42,
                     *           "summary": {
                     *             "total": 42,
                     *             "critical": 1,
                     *             "high": 5,
                     *             "medium": 12,
                     *             "low": 20,
                     *             "info": 4
                     *           },
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "started_at": "2026-01-01T00:00:00.000Z",
                     *           "completed_at": "2026-01-01T00:00:00.000Z"
                     *         },
                     *         "new": 3,
                     *         "seen_again": 39,
                     *         "gone": 2
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            against?: components["schemas"]["Scan"];
                            /** @example 3 */
                            new: number;
                            /** @example 39 */
                            seen_again: number;
                            /** @example 2 */
                            gone: number;
                        };
                    };
                };
            };
        };
    };
    listFindings: {
        parameters: {
            query?: {
                scan_id?: string;
                /** @description The scan to compare `scan_id` with; requires `change`. */
                against?: string;
                /** @description Findings that only `scan_id` reported (`new`), that both scans reported (`seen_again`), or that only `against` reported (`gone`). */
                change?: "new" | "seen_again" | "gone";
                project_id?: string;
                /** @description One or more values: repeat the parameter or separate the values by commas. */
                severity?: ("critical" | "high" | "medium" | "low" | "info")[];
                /** @description One or more values: repeat the parameter or separate the values by commas. */
                status?: ("open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified")[];
                cwe?: string;
                /** @description Text to find in title, file or CVE. */
                q?: string;
                sort?: "created_at" | "-created_at" | "last_seen_at" | "-last_seen_at" | "severity" | "-severity" | "cvss_score" | "-cvss_score";
                /** @description Leaves out the field that may be long. */
                omit?: "description";
                /** @description The format of the response: `json`, `csv` with a header line (RFC 4180), or `sarif` (SARIF 2.1.0). With `page`, the file holds that page. */
                format?: "json" | "csv" | "sarif";
                page?: number;
                per_page?: number;
            };
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The findings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *           "last_scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *           "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "fingerprint": "sqli-search-7f3a",
                     *           "title": "SQL injection in search",
                     *           "severity": "critical",
                     *           "description": "User input reaches the **query**.",
                     *           "cwe": "CWE-89",
                     *           "cve": "CVE-2026-12345",
                     *           "cvss_score": 9.8,
                     *           "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                     *           "file": "src/search.ts",
                     *           "line": 42,
                     *           "source": "semgrep",
                     *           "status": "open",
                     *           "status_changed_at": "2026-01-01T00:00:00.000Z",
                     *           "regressed": false,
                     *           "seen_count": 3,
                     *           "last_seen_at": "2026-01-01T00:00:00.000Z",
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "result_info": {
                     *         "page": 1,
                     *         "per_page": 50,
                     *         "total": 120,
                     *         "total_pages": 3,
                     *         "has_next": true,
                     *         "has_prev": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["ListedFinding"][];
                        result_info?: components["schemas"]["ResultInfo"];
                    };
                    "text/csv": string;
                    /**
                     * @example {
                     *       "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
                     *       "version": "2.1.0",
                     *       "runs": [
                     *         {
                     *           "results": [
                     *             {
                     *               "ruleId": "CWE-89",
                     *               "level": "error",
                     *               "message": {
                     *                 "text": "SQL injection in search",
                     *                 "markdown": "User input reaches the **query**."
                     *               },
                     *               "locations": [
                     *                 {
                     *                   "physicalLocation": {
                     *                     "artifactLocation": {
                     *                       "uri": "src/search.ts"
                     *                     },
                     *                     "region": {
                     *                       "startLine": 42
                     *                     }
                     *                   }
                     *                 }
                     *               ],
                     *               "fingerprints": {
                     *                 "svcFindings/v1": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07/sqli-search-7f3a"
                     *               },
                     *               "partialFingerprints": {
                     *                 "primaryLocationLineHash": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07/sqli-search-7f3a"
                     *               },
                     *               "baselineState": "absent",
                     *               "suppressions": [
                     *                 {
                     *                   "kind": "external",
                     *                   "status": "accepted",
                     *                   "justification": "False positive"
                     *                 }
                     *               ],
                     *               "provenance": {
                     *                 "firstDetectionTimeUtc": "2026-01-01T00:00:00.000Z",
                     *                 "lastDetectionTimeUtc": "2026-01-01T00:00:00.000Z"
                     *               },
                     *               "properties": {
                     *                 "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *                 "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *                 "last_scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *                 "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *                 "severity": "critical",
                     *                 "cwe": "CWE-89",
                     *                 "cve": "CVE-2026-12345",
                     *                 "cvss_score": 9.8,
                     *                 "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                     *                 "source": "semgrep",
                     *                 "status": "open",
                     *                 "status_changed_at": "2026-01-01T00:00:00.000Z",
                     *                 "regressed": false,
                     *                 "seen_count": 3,
                     *                 "last_seen_at": "2026-01-01T00:00:00.000Z",
                     *                 "created_at": "2026-01-01T00:00:00.000Z",
                     *                 "updated_at": "2026-01-01T00:00:00.000Z",
                     *                 "project_slug": "web-shop",
                     *                 "project_name": "Web shop",
                     *                 "tags": [
                     *                   "external/cwe/cwe-89"
                     *                 ],
                     *                 "security-severity": "9.8"
                     *               }
                     *             }
                     *           ],
                     *           "tool": {
                     *             "driver": {
                     *               "name": "svc-findings",
                     *               "rules": [
                     *                 {
                     *                   "id": "CWE-89",
                     *                   "shortDescription": {
                     *                     "text": "CWE-89"
                     *                   },
                     *                   "helpUri": "https://cwe.mitre.org/data/definitions/89.html",
                     *                   "properties": {
                     *                     "tags": [
                     *                       "external/cwe/cwe-89"
                     *                     ],
                     *                     "security-severity": "9.8"
                     *                   }
                     *                 }
                     *               ]
                     *             }
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/sarif+json": components["schemas"]["SarifLog"];
                };
            };
        };
    };
    updateFindings: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "changes": [
                 *         {
                 *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                 *           "status": "open"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    changes: {
                        /** @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07 */
                        id: string;
                        /** @enum {string} */
                        status: "open" | "confirmed" | "fixed" | "false_positive" | "wontfix";
                    }[];
                };
            };
        };
        responses: {
            /** @description The results, in the order of the changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "updated": [
                     *           {
                     *             "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "status": "open",
                     *             "previous_status": "open"
                     *           }
                     *         ],
                     *         "failed": [
                     *           {
                     *             "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "code": "not_found",
                     *             "message": "There is no such finding."
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            updated: {
                                /**
                                 * Format: uuid
                                 * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
                                 */
                                id: string;
                                /** @enum {string} */
                                status: "open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified";
                                /** @enum {string} */
                                previous_status: "open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified";
                            }[];
                            failed: {
                                /**
                                 * @description As it was given, in lower case.
                                 * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
                                 */
                                id: string;
                                /** @enum {string} */
                                code: "not_found";
                                /**
                                 * @description For people; it may change.
                                 * @example There is no such finding.
                                 */
                                message: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    getFinding: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The finding. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "last_scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "fingerprint": "sqli-search-7f3a",
                     *         "title": "SQL injection in search",
                     *         "severity": "critical",
                     *         "description": "User input reaches the **query**.",
                     *         "cwe": "CWE-89",
                     *         "cve": "CVE-2026-12345",
                     *         "cvss_score": 9.8,
                     *         "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                     *         "file": "src/search.ts",
                     *         "line": 42,
                     *         "source": "semgrep",
                     *         "status": "open",
                     *         "status_changed_at": "2026-01-01T00:00:00.000Z",
                     *         "regressed": false,
                     *         "seen_count": 3,
                     *         "last_seen_at": "2026-01-01T00:00:00.000Z",
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "updated_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Finding"];
                    };
                };
            };
        };
    };
    updateFinding: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "open"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    status: "open" | "confirmed" | "fixed" | "false_positive" | "wontfix";
                };
            };
        };
        responses: {
            /** @description The finding after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "last_scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "fingerprint": "sqli-search-7f3a",
                     *         "title": "SQL injection in search",
                     *         "severity": "critical",
                     *         "description": "User input reaches the **query**.",
                     *         "cwe": "CWE-89",
                     *         "cve": "CVE-2026-12345",
                     *         "cvss_score": 9.8,
                     *         "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                     *         "file": "src/search.ts",
                     *         "line": 42,
                     *         "source": "semgrep",
                     *         "status": "open",
                     *         "status_changed_at": "2026-01-01T00:00:00.000Z",
                     *         "regressed": false,
                     *         "seen_count": 3,
                     *         "last_seen_at": "2026-01-01T00:00:00.000Z",
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "updated_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Finding"];
                    };
                };
            };
        };
    };
    listExploits: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exploits, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "finding_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "filename": "poc.py",
                     *           "language": "python",
                     *           "code": "print(1)",
                     *           "created_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Exploit"][];
                    };
                };
            };
        };
    };
    getExploit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
                eid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exploit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "finding_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "filename": "poc.py",
                     *         "language": "python",
                     *         "code": "print(1)",
                     *         "created_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Exploit"];
                    };
                };
            };
        };
    };
    dashboardStats: {
        parameters: {
            query?: {
                /** @description Leaves out the field that may be long. */
                omit?: "description";
            };
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "total_scans": 12,
                     *         "active_scans": 1,
                     *         "total_findings": 42,
                     *         "severity_breakdown": {
                     *           "total": 42,
                     *           "critical": 1,
                     *           "high": 5,
                     *           "medium": 12,
                     *           "low": 20,
                     *           "info": 4
                     *         },
                     *         "recent_findings": [
                     *           {
                     *             "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *             "last_scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *             "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "fingerprint": "sqli-search-7f3a",
                     *             "title": "SQL injection in search",
                     *             "severity": "critical",
                     *             "description": "User input reaches the **query**.",
                     *             "cwe": "CWE-89",
                     *             "cve": "CVE-2026-12345",
                     *             "cvss_score": 9.8,
                     *             "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                     *             "file": "src/search.ts",
                     *             "line": 42,
                     *             "source": "semgrep",
                     *             "status": "open",
                     *             "status_changed_at": "2026-01-01T00:00:00.000Z",
                     *             "regressed": false,
                     *             "seen_count": 3,
                     *             "last_seen_at": "2026-01-01T00:00:00.000Z",
                     *             "created_at": "2026-01-01T00:00:00.000Z",
                     *             "updated_at": "2026-01-01T00:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            /** @example 12 */
                            total_scans: number;
                            /** @example 1 */
                            active_scans: number;
                            /** @example 42 */
                            total_findings: number;
                            severity_breakdown: components["schemas"]["SeveritySummary"];
                            recent_findings: components["schemas"]["ListedFinding"][];
                        };
                    };
                };
            };
        };
    };
    dashboardTrend: {
        parameters: {
            query?: {
                days?: number;
            };
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One row per day. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "date": "2026-01-01",
                     *           "total": 42,
                     *           "critical": 1,
                     *           "high": 5,
                     *           "medium": 12,
                     *           "low": 20,
                     *           "info": 4,
                     *           "unresolved": 9
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            /**
                             * Format: date
                             * @example 2026-01-01
                             */
                            date: string;
                            /** @example 42 */
                            total: number;
                            /** @example 1 */
                            critical: number;
                            /** @example 5 */
                            high: number;
                            /** @example 12 */
                            medium: number;
                            /** @example 20 */
                            low: number;
                            /** @example 4 */
                            info: number;
                            /** @example 9 */
                            unresolved: number;
                        }[];
                    };
                };
            };
        };
    };
    dashboardProjects: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One row per project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "project": {
                     *             "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *             "name": "Web shop",
                     *             "slug": "web-shop"
                     *           },
                     *           "total": 42,
                     *           "critical": 1,
                     *           "high": 5,
                     *           "medium": 12,
                     *           "low": 20,
                     *           "info": 4,
                     *           "unresolved": 30,
                     *           "last_scan_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            project: {
                                /**
                                 * Format: uuid
                                 * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
                                 */
                                id: string;
                                /** @example Web shop */
                                name: string;
                                /** @example web-shop */
                                slug: string;
                            };
                            /** @example 42 */
                            total: number;
                            /** @example 1 */
                            critical: number;
                            /** @example 5 */
                            high: number;
                            /** @example 12 */
                            medium: number;
                            /** @example 20 */
                            low: number;
                            /** @example 4 */
                            info: number;
                            /** @example 30 */
                            unresolved: number;
                            /**
                             * Format: date-time
                             * @description Start of the latest scan, if there is one.
                             * @example 2026-01-01T00:00:00.000Z
                             */
                            last_scan_at?: string;
                        }[];
                    };
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "name": "Web shop",
                     *           "slug": "web-shop",
                     *           "created_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Project"][];
                    };
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Web shop",
                 *       "slug": "web-shop"
                 *     }
                 */
                "application/json": {
                    /** @example Web shop */
                    name: string;
                    /** @example web-shop */
                    slug?: string | null;
                };
            };
        };
        responses: {
            /** @description The project. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "name": "Web shop",
                     *         "slug": "web-shop",
                     *         "created_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Project"];
                    };
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "name": "Web shop",
                     *         "slug": "web-shop",
                     *         "created_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Project"];
                    };
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members, by role and name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "user_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "email": "grace@example.com",
                     *           "name": "Grace Hopper",
                     *           "avatar_url": "",
                     *           "role": "owner",
                     *           "verified": true,
                     *           "pending": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Member"][];
                    };
                };
            };
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "role": "member"
                 *     }
                 */
                "application/json": {
                    /** @example ada@example.com */
                    email: string;
                    /**
                     * @example member
                     * @enum {string}
                     */
                    role: "owner" | "admin" | "member" | "viewer";
                };
            };
        };
        responses: {
            /** @description The member. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "user_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "email": "grace@example.com",
                     *         "name": "Grace Hopper",
                     *         "avatar_url": "",
                     *         "role": "owner",
                     *         "verified": true,
                     *         "pending": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Member"];
                    };
                };
            };
        };
    };
    leaveOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller is no longer a member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "You left the organization."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example You left the organization. */
                        message: string;
                    };
                };
            };
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation was sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "The invitation is on its way."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example The invitation is on its way. */
                        message: string;
                    };
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "viewer"
                 *     }
                 */
                "application/json": {
                    /**
                     * @example viewer
                     * @enum {string}
                     */
                    role: "owner" | "admin" | "member" | "viewer";
                };
            };
        };
        responses: {
            /** @description The member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "user_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "email": "grace@example.com",
                     *         "name": "Grace Hopper",
                     *         "avatar_url": "",
                     *         "role": "owner",
                     *         "verified": true,
                     *         "pending": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Member"];
                    };
                };
            };
        };
    };
    listAgentFindings: {
        parameters: {
            query?: {
                project_id?: string;
                /** @description The slug of the project, 2 to 50 lower-case letters, digits and hyphens. One of `project_id` and `project` is required; beside `project_id`, `project` is ignored whatever it holds. */
                project?: unknown;
                /** @description One or more values: repeat the parameter or separate the values by commas. */
                status?: ("open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified")[];
                /** @description One or more values: repeat the parameter or separate the values by commas. */
                severity?: ("critical" | "high" | "medium" | "low" | "info")[];
                page?: number;
                per_page?: number;
            };
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The findings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *           "last_scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *           "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "fingerprint": "sqli-search-7f3a",
                     *           "title": "SQL injection in search",
                     *           "severity": "critical",
                     *           "description": "User input reaches the **query**.",
                     *           "cwe": "CWE-89",
                     *           "cve": "CVE-2026-12345",
                     *           "cvss_score": 9.8,
                     *           "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                     *           "file": "src/search.ts",
                     *           "line": 42,
                     *           "source": "semgrep",
                     *           "status": "open",
                     *           "status_changed_at": "2026-01-01T00:00:00.000Z",
                     *           "regressed": false,
                     *           "seen_count": 3,
                     *           "last_seen_at": "2026-01-01T00:00:00.000Z",
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "result_info": {
                     *         "page": 1,
                     *         "per_page": 50,
                     *         "total": 120,
                     *         "total_pages": 3,
                     *         "has_next": true,
                     *         "has_prev": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Finding"][];
                        result_info?: components["schemas"]["ResultInfo"];
                    };
                };
            };
        };
    };
    pushFinding: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                 *       "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                 *       "fingerprint": "sqli-search-7f3a",
                 *       "title": "SQL injection in search",
                 *       "severity": "critical",
                 *       "description": "User input reaches the **query**.",
                 *       "cwe": "CWE-89",
                 *       "cve": "CVE-2026-12345",
                 *       "cvss_score": 9.8,
                 *       "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                 *       "file": "src/search.ts",
                 *       "line": 42,
                 *       "source": "semgrep"
                 *     }
                 */
                "application/json": components["schemas"]["FindingInput"];
            };
        };
        responses: {
            /** @description A known finding. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "last_scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "fingerprint": "sqli-search-7f3a",
                     *         "title": "SQL injection in search",
                     *         "severity": "critical",
                     *         "description": "User input reaches the **query**.",
                     *         "cwe": "CWE-89",
                     *         "cve": "CVE-2026-12345",
                     *         "cvss_score": 9.8,
                     *         "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                     *         "file": "src/search.ts",
                     *         "line": 42,
                     *         "source": "semgrep",
                     *         "status": "open",
                     *         "status_changed_at": "2026-01-01T00:00:00.000Z",
                     *         "regressed": false,
                     *         "seen_count": 3,
                     *         "last_seen_at": "2026-01-01T00:00:00.000Z",
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "deduplicated": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["PushedFinding"];
                    };
                };
            };
            /** @description A new finding. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "last_scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "fingerprint": "sqli-search-7f3a",
                     *         "title": "SQL injection in search",
                     *         "severity": "critical",
                     *         "description": "User input reaches the **query**.",
                     *         "cwe": "CWE-89",
                     *         "cve": "CVE-2026-12345",
                     *         "cvss_score": 9.8,
                     *         "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                     *         "file": "src/search.ts",
                     *         "line": 42,
                     *         "source": "semgrep",
                     *         "status": "open",
                     *         "status_changed_at": "2026-01-01T00:00:00.000Z",
                     *         "regressed": false,
                     *         "seen_count": 3,
                     *         "last_seen_at": "2026-01-01T00:00:00.000Z",
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "deduplicated": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["PushedFinding"];
                    };
                };
            };
        };
    };
    updateAgentFinding: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "open"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    status: "open" | "verified";
                };
            };
        };
        responses: {
            /** @description The finding after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "last_scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "fingerprint": "sqli-search-7f3a",
                     *         "title": "SQL injection in search",
                     *         "severity": "critical",
                     *         "description": "User input reaches the **query**.",
                     *         "cwe": "CWE-89",
                     *         "cve": "CVE-2026-12345",
                     *         "cvss_score": 9.8,
                     *         "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                     *         "file": "src/search.ts",
                     *         "line": 42,
                     *         "source": "semgrep",
                     *         "status": "open",
                     *         "status_changed_at": "2026-01-01T00:00:00.000Z",
                     *         "regressed": false,
                     *         "seen_count": 3,
                     *         "last_seen_at": "2026-01-01T00:00:00.000Z",
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "updated_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Finding"];
                    };
                };
            };
        };
    };
    attachExploit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filename": "poc.py",
                 *       "language": "python",
                 *       "code": "print(1)"
                 *     }
                 */
                "application/json": {
                    /** @example poc.py */
                    filename: string;
                    /** @example python */
                    language: string;
                    /**
                     * @description At most 512000 bytes in UTF-8.
                     * @example print(1)
                     */
                    code: string;
                };
            };
        };
        responses: {
            /** @description The exploit. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "finding_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "filename": "poc.py",
                     *         "language": "python",
                     *         "code": "print(1)",
                     *         "created_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Exploit"];
                    };
                };
            };
        };
    };
    registerScan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                 *       "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                 *       "project": "web-shop",
                 *       "persona": "sharingan",
                 *       "name": "Nightly audit",
                 *       "target": {
                 *         "type": "repository",
                 *         "path": "services/web",
                 *         "url": "https://git.example.com/acme/web-shop",
                 *         "ref": "main"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @example 01890a5d-ac96-774b-bcce-b302099a8057 */
                    scan_id: string;
                    /**
                     * Format: uuid
                     * @example 0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07
                     */
                    project_id?: string;
                    /**
                     * @description The slug of the project, 2 to 50 lower-case letters, digits and hyphens. One of `project_id` and `project` is required; beside `project_id`, `project` is ignored whatever it holds.
                     * @example web-shop
                     */
                    project?: unknown;
                    /** @enum {string} */
                    persona: "sharingan" | "senku" | "killua";
                    /** @example Nightly audit */
                    name?: string | null;
                    target?: {
                        /** @example repository */
                        type?: string | null;
                        /** @example services/web */
                        path?: string | null;
                        /** @example https://git.example.com/acme/web-shop */
                        url?: string | null;
                        /** @example main */
                        ref?: string | null;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The running scan. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "persona": "sharingan",
                     *         "name": "Nightly audit",
                     *         "target": {
                     *           "type": "repository",
                     *           "path": "services/web",
                     *           "url": "https://git.example.com/acme/web-shop",
                     *           "ref": "main"
                     *         },
                     *         "status": "completed",
                     *         "error_message": "The scanner ran out of memory.",
                     *         "finding_count": 42,
                     *         "summary": {
                     *           "total": 42,
                     *           "critical": 1,
                     *           "high": 5,
                     *           "medium": 12,
                     *           "low": 20,
                     *           "info": 4
                     *         },
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "started_at": "2026-01-01T00:00:00.000Z",
                     *         "completed_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Scan"];
                    };
                };
            };
        };
    };
    endScan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "completed",
                 *       "error_message": "The scanner ran out of memory."
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    status: "completed" | "failed";
                    /** @example The scanner ran out of memory. */
                    error_message?: string | null;
                };
            };
        };
        responses: {
            /** @description The scan with its summary. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "scan_id": "01890a5d-ac96-774b-bcce-b302099a8057",
                     *         "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *         "persona": "sharingan",
                     *         "name": "Nightly audit",
                     *         "target": {
                     *           "type": "repository",
                     *           "path": "services/web",
                     *           "url": "https://git.example.com/acme/web-shop",
                     *           "ref": "main"
                     *         },
                     *         "status": "completed",
                     *         "error_message": "The scanner ran out of memory.",
                     *         "finding_count": 42,
                     *         "summary": {
                     *           "total": 42,
                     *           "critical": 1,
                     *           "high": 5,
                     *           "medium": 12,
                     *           "low": 20,
                     *           "info": 4
                     *         },
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "started_at": "2026-01-01T00:00:00.000Z",
                     *         "completed_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["Scan"];
                    };
                };
            };
        };
    };
    listProjectTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "name": "ci",
                     *           "prefix": "svc_5f0c1f4b",
                     *           "created_by": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "expires_at": "2026-01-01T00:00:00.000Z",
                     *           "revoked": false,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "last_used": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["ApiToken"][];
                    };
                };
            };
        };
    };
    createProjectToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ci",
                 *       "expires_in": 90
                 *     }
                 */
                "application/json": {
                    /** @example ci */
                    name: string;
                    /**
                     * @description Days; 0 means never.
                     * @example 90
                     */
                    expires_in?: number | null;
                };
            };
        };
        responses: {
            /** @description The token and its metadata. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "token": "svc_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *         "info": {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "name": "ci",
                     *           "prefix": "svc_5f0c1f4b",
                     *           "created_by": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "expires_at": "2026-01-01T00:00:00.000Z",
                     *           "revoked": false,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "last_used": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            /** @example svc_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b */
                            token: string;
                            info: components["schemas"]["ApiToken"];
                        };
                    };
                };
            };
        };
    };
    revokeProjectToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                projectId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "name": "ci",
                     *           "prefix": "svc_5f0c1f4b",
                     *           "created_by": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "expires_at": "2026-01-01T00:00:00.000Z",
                     *           "revoked": false,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "last_used": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["ApiToken"][];
                    };
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ci",
                 *       "expires_in": 90
                 *     }
                 */
                "application/json": {
                    /** @example ci */
                    name: string;
                    /**
                     * @description Days; 0 means never.
                     * @example 90
                     */
                    expires_in?: number | null;
                };
            };
        };
        responses: {
            /** @description The token and its metadata. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "token": "svc_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *         "info": {
                     *           "id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "project_id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "name": "ci",
                     *           "prefix": "svc_5f0c1f4b",
                     *           "created_by": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07",
                     *           "expires_at": "2026-01-01T00:00:00.000Z",
                     *           "revoked": false,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "last_used": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            /** @example svc_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b */
                            token: string;
                            info: components["schemas"]["ApiToken"];
                        };
                    };
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOrgFeatures: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The flags, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": [
                     *         {
                     *           "name": "org_wide_tokens",
                     *           "provisioned": true,
                     *           "enabled": true,
                     *           "description": "Allow org-wide API tokens."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["OrgFeature"][];
                    };
                };
            };
        };
    };
    updateOrgFeature: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                flag: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                "application/json": {
                    /** @example true */
                    enabled: boolean;
                };
            };
        };
        responses: {
            /** @description Changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "message": "require_mfa is now on."
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @example require_mfa is now on. */
                        message: string;
                    };
                };
            };
        };
    };
    getSecuritySettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "viewer_tokens_verify": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["SecuritySettings"];
                    };
                };
            };
        };
    };
    updateSecuritySettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description Selects the organization, such as `acme`, if no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "viewer_tokens_verify": true
                 *     }
                 */
                "application/json": components["schemas"]["SecuritySettings"];
            };
        };
        responses: {
            /** @description The settings after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "result": {
                     *         "viewer_tokens_verify": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: components["schemas"]["SecuritySettings"];
                    };
                };
            };
        };
    };
    healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The database answers. `status`, `db` and `timestamp` are repeated at the top level. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "status": "ok",
                     *       "db": "ok",
                     *       "timestamp": "2026-01-01T00:00:00.000Z",
                     *       "result": {
                     *         "status": "ok",
                     *         "db": "ok",
                     *         "timestamp": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @enum {string} */
                        status: "ok";
                        /** @enum {string} */
                        db: "ok";
                        /**
                         * Format: date-time
                         * @example 2026-01-01T00:00:00.000Z
                         */
                        timestamp: string;
                        result: {
                            /** @enum {string} */
                            status: "ok";
                            /** @enum {string} */
                            db: "ok";
                            /**
                             * Format: date-time
                             * @example 2026-01-01T00:00:00.000Z
                             */
                            timestamp: string;
                        };
                    };
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The database answers. `status`, `db` and `timestamp` are repeated at the top level. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "request_id": "req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b",
                     *       "status": "ok",
                     *       "db": "ok",
                     *       "timestamp": "2026-01-01T00:00:00.000Z",
                     *       "result": {
                     *         "status": "ok",
                     *         "db": "ok",
                     *         "timestamp": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * @description The same value as in the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        /** @enum {string} */
                        status: "ok";
                        /** @enum {string} */
                        db: "ok";
                        /**
                         * Format: date-time
                         * @example 2026-01-01T00:00:00.000Z
                         */
                        timestamp: string;
                        result: {
                            /** @enum {string} */
                            status: "ok";
                            /** @enum {string} */
                            db: "ok";
                            /**
                             * Format: date-time
                             * @example 2026-01-01T00:00:00.000Z
                             */
                            timestamp: string;
                        };
                    };
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prometheus text exposition format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    apiDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Swagger UI. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    openApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.0.3. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": {
                        /** @example 3.0.3 */
                        openapi: string;
                    };
                };
            };
        };
    };
}
