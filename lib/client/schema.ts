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
         *     For everybody; on the base domain only, once there is one.
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
         * @description With the primary or any verified e-mail address of the account. When the account has MFA switched on, no cookie is set: the login is ended by `/auth/mfa/validate`.
         *
         *     For everybody; on the base domain only, once there is one.
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
         * @description Revokes the session of the cookie, if there is one, and clears the cookie.
         *
         *     For everybody; on the base domain only, once there is one.
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
         * Who am I
         * @description For signed-in users, on any host.
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
         * Who is here
         * @description All that a web page has to know before it shows anything, in one request: that of `/config/auth` and, when the visitor is signed in, that of `/auth/me`. Nobody being signed in is no error.
         *
         *     For everybody.
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
         * Ask for a password reset link
         * @description The answer, and the time it takes, are the same whether or not the address is known.
         *
         *     For everybody; on the base domain only, once there is one.
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
         *     For everybody; on the base domain only, once there is one.
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
         * @description Revokes all other sessions, and reset links that were mailed before.
         *
         *     For signed-in users, on any host.
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
         * End a login with the second factor
         * @description With a code of a TOTP or e-mail device, or with a recovery code (`is_recovery`, no `device_id`), of which each works once.
         *
         *     For everybody; on the base domain only, once there is one.
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
         * @description To an e-mail device. The code has six digits and works once, for five minutes, with the same `mfa_token`; earlier ones of this `mfa_token` no longer do.
         *
         *     For everybody; on the base domain only, once there is one.
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
         * @description Of several accounts that claim an address, the first to verify it gets it. Memberships by invitation to the address are confirmed.
         *
         *     For everybody; on the base domain only, once there is one.
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
         * Prove once more who you are
         * @description For what a stolen session must not be enough for: for 10 minutes this session may change e-mail addresses and second factors. With MFA on it takes a `code` too: of any TOTP or e-mail device, or of that of `device_id`, or a recovery code (`is_recovery`).
         *
         *     For signed-in users, on any host.
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
         * @description To an e-mail device of the signed-in user. The code has six digits and works once, for five minutes, with the same session; earlier ones of this session no longer do.
         *
         *     For signed-in users, on any host.
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
         *     For everybody; on the base domain only, once there is one.
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
         * List one's e-mail addresses
         * @description For signed-in users, on any host.
         */
        get: operations["listEmails"];
        put?: never;
        /**
         * Add an e-mail address
         * @description A verification link is mailed to it, in a mail that names the primary address of the account. Until it is verified it claims nothing.
         *
         *     For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * @description The primary one stays, and so does one that is an MFA device while MFA is on: remove the device first. While MFA is off the device goes with it.
         *
         *     For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * @description The former primary address gets a mail with a link that undoes the change, for 72 hours. An id that names no address of the user is 400, whatever it looks like.
         *
         *     For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * @description It works once, for 24 hours. With `SVC_REQUIRE_VERIFIED_EMAIL`, an account whose primary address is not verified gets links to that one only.
         *
         *     For signed-in users, on any host.
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
         * List one's MFA devices
         * @description For signed-in users, on any host.
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
         * @description It counts once a code of it was verified. The secret is shown this once.
         *
         *     For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * @description For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * @description For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * @description Removing the last verified one switches MFA off, and the message says so.
         *
         *     For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * Switch MFA on
         * @description Needs a verified device, or a verified e-mail address, of which a device is then made. The recovery codes are shown this once.
         *
         *     For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * Switch MFA off
         * @description Deletes the recovery codes; the devices stay.
         *
         *     For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * Count the recovery codes
         * @description For signed-in users, on any host.
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
         * Make new recovery codes
         * @description The old ones no longer work. The new ones are shown this once.
         *
         *     For signed-in users, on any host. Needs a sign-in or `POST /auth/step-up` within the last 10 minutes.
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
         * List one's live sessions
         * @description For signed-in users, on any host.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Revoke all sessions but the current one
         * @description For signed-in users, on any host.
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
         * @description Its next request is refused. Revoking the current one logs out.
         *
         *     For signed-in users, on any host.
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
         * @description For signed-in users, on any host.
         */
        get: operations["listOrgs"];
        put?: never;
        /**
         * Create an organization
         * @description The caller becomes its owner. Without `slug` one is made from the name; without `plan` it is `free`. 409 `conflict` when the account has created as many as it may, whoever owns them now.
         *
         *     For signed-in users, on any host.
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
         * @description To everybody but its members it does not exist.
         *
         *     For signed-in users, on any host.
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
         * @description For signed-in users, on any host.
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
         * Where to sign in
         * @description For everybody.
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
         * @description For members of the organization.
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
         * @description For members of the organization.
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
         * Compare a scan with another
         * @description How many findings only this scan reported, both, and only the other. The other is `against`, of the same project, or else the latest completed scan of the same project and persona that was started before; when there is none, all findings are new. A scan that runs is compared as far as it is.
         *
         *     For members of the organization.
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
         * @description Newest first, or by `sort` (`-` for descending). Without `page` and `per_page` all of them come, streamed. `scan_id` selects what that scan reported, first or again; with `against` and `change`, what differs between two scans.
         *
         *     For members of the organization.
         */
        get: operations["listFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Triage findings
         * @description Sets the statuses of up to 500 findings at once, each named once; `verified` is for agents to say. What there is no finding for is in `failed`; all others are changed.
         *
         *     For members of the organization, at least `member`.
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
         * @description For members of the organization.
         */
        get: operations["getFinding"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Triage a finding
         * @description From any status to any but `verified`, which is for agents to say.
         *
         *     For members of the organization, at least `member`.
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
         * @description For members of the organization.
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
         * @description For members of the organization.
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
         * Numbers at a glance
         * @description Findings are counted whatever their status; the 10 newest are shown.
         *
         *     For members of the organization.
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
         * Findings over time
         * @description For each day (UTC), oldest first and today last: the findings that were first reported then, whatever their status, by severity; and how many of them are unresolved now (`open` or `confirmed`).
         *
         *     For members of the organization.
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
         * Numbers by project
         * @description All projects, those with the most critical unresolved findings first. `total` counts findings of every status, the severities those that are unresolved (`open` or `confirmed`).
         *
         *     For members of the organization.
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
         * @description For members of the organization.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description Without `slug` one is made from the name. 409 `conflict` when the organization has as many projects as it may.
         *
         *     For members of the organization, at least `member`.
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
         * @description By its slug or its id.
         *
         *     For members of the organization.
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
         *     For members of the organization.
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
         *     For members of the organization, at least `admin`.
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
         * @description The next request to the organization is refused. API tokens the member made stay. The last owner cannot leave: an organization needs an owner who can sign in.
         *
         *     For members of the organization.
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
         * Mail an invitation again
         * @description To the invited address of a member who has not verified it. Earlier links keep working.
         *
         *     For members of the organization, at least `admin`.
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
         * @description Their next request to the organization is refused. API tokens they made stay. Only an owner may remove an owner. Nobody removes themselves: `POST /members/leave` does that.
         *
         *     For members of the organization, at least `admin`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description It counts from their next request on. Only an owner makes a member an owner or changes the role of an owner, and the last owner stays one. The same rules hold for the own role: an admin may give it up, and nobody raises their own.
         *
         *     For members of the organization, at least `admin`.
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
         * @description What an agent verifies: usually those with `status=fixed`. Newest first.
         *
         *     For agents with an API token of the organization; a project's token acts on its project only.
         */
        get: operations["listAgentFindings"];
        put?: never;
        /**
         * Push a finding
         * @description Within a project a `fingerprint` is one finding: pushed again it is counted, and takes over what the agent says anew. Its status stays with the user. The answer comes after the commit.
         *
         *     For agents with an API token of the organization; a project's token acts on its project only.
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
         * @description `verified` confirms a fix, `open` reopens; an agent sets no other status. With `viewer_tokens_verify` off, `verified` is refused to a token whose creator is a viewer or no longer a member.
         *
         *     For agents with an API token of the organization; a project's token acts on its project only.
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
         * @description For agents with an API token of the organization; a project's token acts on its project only.
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
         * @description Before findings are pushed for it. Agents make `scan_id` a UUID v7. The project may be named by its slug, in `project`, instead of its id.
         *
         *     For agents with an API token of the organization; a project's token acts on its project only.
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
         * @description The server counts its findings by severity. Ending it again in the same way changes nothing; in the other way it is a conflict.
         *
         *     For agents with an API token of the organization; a project's token acts on its project only.
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
         * @description Prefix and metadata only. Newest first.
         *
         *     For members of the organization.
         */
        get: operations["listProjectTokens"];
        put?: never;
        /**
         * Create a project token
         * @description The full token is shown this once. 409 `conflict` when the organization or the project has as many active tokens as it may.
         *
         *     For members of the organization.
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
         * @description For good: the next request with it is refused. Revoking it again changes nothing.
         *
         *     For members of the organization.
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
         * @description Org-wide ones and those of projects; prefix and metadata only.
         *
         *     For members of the organization, at least `admin`.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create an org-wide token
         * @description It may act on all projects. The organization must have switched on `org_wide_tokens`. The full token is shown this once. 409 `conflict` when the organization has as many active tokens as it may.
         *
         *     For members of the organization, at least `admin`.
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
         * @description Org-wide or of a project, for good: the next request with it is refused. Revoking it again changes nothing.
         *
         *     For members of the organization, at least `admin`.
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
         *     For members of the organization.
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
         * Switch a feature flag of the organization on or off
         * @description It must be provisioned by a platform administrator. With `require_mfa` on, members without MFA are refused at once, whoever switched it on too.
         *
         *     For members of the organization, at least `owner`.
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
         *     For members of the organization.
         */
        get: operations["getSecuritySettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the security settings of the organization
         * @description For admins and owners. It takes effect with the next request of an agent.
         *
         *     For members of the organization, at least `admin`.
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
         * Is the service healthy
         * @description For everybody.
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
         * Can the service take requests
         * @description For everybody.
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
         * Metrics of this server
         * @description In strict mode 404 at the hosts of organizations: it answers at addresses, names of one label, the base domain, the public host and `SVC_METRICS_HOSTS`.
         *
         *     For everybody.
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
         * Interactive documentation
         * @description For everybody.
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
         * This description
         * @description For everybody.
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
             * @description That of the `X-Request-ID` header.
             * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
             */
            request_id: string;
            errors: components["schemas"]["Error"][];
        };
        Error: {
            /** @enum {string} */
            type: "auth_error" | "token_error" | "tenant_error" | "resource_error" | "validation_error" | "permission_error" | "rate_limit_error" | "server_error";
            /**
             * @description Stable; the responses of an operation list theirs.
             * @enum {string}
             */
            code: "not_authenticated" | "invalid_credentials" | "mfa_invalid_code" | "session_revoked" | "base_domain_only" | "invalid" | "expired" | "scope_mismatch" | "invalid_format" | "not_found" | "not_member" | "slug_taken" | "slug_reserved" | "method_not_allowed" | "conflict" | "already_exists" | "invalid_request" | "invalid_body" | "field_required" | "field_invalid" | "denied" | "feature_disabled" | "mfa_required_by_org" | "feature_not_provisioned" | "step_up_required" | "email_not_verified" | "exceeded" | "internal" | "unavailable";
            /** @example E40001 */
            ref: string;
            /**
             * @description For people; it may change.
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
        /** @description There when a page was asked for. */
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
        /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The user, and the session cookie; or what the second factor needs. */
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The base domain, empty when there is none; the user and their organizations, if there is one. */
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
                         * @description That of the `X-Request-ID` header.
                         * @example req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b
                         */
                        request_id: string;
                        result: {
                            /** @example findings.example.com */
                            base_domain: string;
                            user?: components["schemas"]["Account"];
                            /**
                             * @description There when the account can do nothing but verify its primary address and sign out.
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
            /** @description If there is an account, a link is on its way. It works once, for an hour. */
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
                         * @description That of the `X-Request-ID` header.
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
                     * @description As it stands in the mail: 64 hex digits.
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The code is on its way; the message shows the masked address. */
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
                         * @description That of the `X-Request-ID` header.
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
                     * @description As it stands in the mail: 64 hex digits.
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description It is you. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The code is on its way; the message shows the masked address. */
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
                         * @description That of the `X-Request-ID` header.
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
                     * @description As it stands in the mail: 64 hex digits.
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description Newest first. */
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description It is removed. */
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
            /** @description It is the primary address. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The link is on its way. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The devices, newest first, and whether MFA is switched on. */
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The device; it is verified from the start. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description It is removed. */
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description How many are left of a set. The codes themselves are shown only when they are made. */
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description Newest first; the current one is flagged. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description They are revoked. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description It is revoked. */
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
            /** @description Newest first. */
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description By name. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The base domain; empty when there is none. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description One or several; the parameter may be repeated, or its values separated by commas. */
                status?: ("running" | "completed" | "failed")[];
                page?: number;
                per_page?: number;
            };
            header?: {
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The other scan, if there is one, and the numbers. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description The scan that `scan_id` is compared with; goes with `change`. */
                against?: string;
                /** @description Findings of the scan `scan_id` that are not of the scan `against` (`new`), of both (`seen_again`), or of `against` only (`gone`). */
                change?: "new" | "seen_again" | "gone";
                project_id?: string;
                /** @description One or several; the parameter may be repeated, or its values separated by commas. */
                severity?: ("critical" | "high" | "medium" | "low" | "info")[];
                /** @description One or several; the parameter may be repeated, or its values separated by commas. */
                status?: ("open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified")[];
                cwe?: string;
                /** @description Words in title, file or CVE. */
                q?: string;
                sort?: "created_at" | "-created_at" | "last_seen_at" | "-last_seen_at" | "severity" | "-severity" | "cvss_score" | "-cvss_score";
                /** @description Leaves out the field that may be long. */
                omit?: "description";
                /** @description For a file to download: `json` is the usual answer, `csv` has a header line (RFC 4180), `sarif` is SARIF 2.1.0. With a page, the file holds that page. */
                format?: "json" | "csv" | "sarif";
                page?: number;
                per_page?: number;
            };
            header?: {
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
            /** @description What became of the changes, in their order. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A row for every day. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A row for every project. */
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
                         * @description That of the `X-Request-ID` header.
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
                             * @description When its latest scan was started, if there was one.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By role, then by name. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation is on its way. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They are no longer a member. */
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description One or several; the parameter may be repeated, or its values separated by commas. */
                status?: ("open" | "confirmed" | "fixed" | "false_positive" | "wontfix" | "verified")[];
                /** @description One or several; the parameter may be repeated, or its values separated by commas. */
                severity?: ("critical" | "high" | "medium" | "low" | "info")[];
                page?: number;
                per_page?: number;
            };
            header?: {
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
            /** @description A known finding, seen again. */
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
                         * @description That of the `X-Request-ID` header.
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
            /** @description The scan; it is running. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
            /** @description The token, and what is kept of it. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
            /** @description It is revoked. */
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
            /** @description The token, and what is kept of it. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is revoked. */
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
                "X-Org-Slug"?: components["parameters"]["OrgSlug"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
            /** @description It is switched. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
                /** @description Names the organization, such as `acme`, while no base domain is configured. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The database answers. `status`, `db` and `timestamp` stand at the top level too. */
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
                         * @description That of the `X-Request-ID` header.
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
            /** @description The database answers. `status`, `db` and `timestamp` stand at the top level too. */
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
                         * @description That of the `X-Request-ID` header.
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
