import { awaitsFirstAccount } from '../../lib/accounts/registration.ts';
import { toUser } from '../../lib/accounts/sessions/sessions.ts';
import { publicAccess } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { visitorOf } from '../../lib/http/middleware/access/session.ts';
import { listOrgsOf } from '../../lib/orgs/list.ts';
import { Account, Organization } from '../../lib/resources.ts';
import { id, shown, z } from '../../lib/schema.ts';
import { namedConnection } from '../../lib/sso/connections.ts';
import { SsoOffer, ssoOffer } from '../../lib/sso/offer.ts';

export const session = endpoint(
  {
    method: 'get',
    path: '/auth/session',
    access: publicAccess,
    tag: 'Auth',
    summary: 'Get the current session, if there is one',
    description:
      'Combines `/config/auth` and, for a signed-in visitor, `/auth/me`, so that a web page needs one request before it renders. A visitor who is not signed in is not an error.',
    responses: {
      200: {
        description:
          'The base domain (empty when none is configured); for a signed-in visitor also the user and their organizations.',
        result: z.object({
          base_domain: shown('findings.example.com'),
          user: Account.optional(),
          email_verification_required: z.literal(true).optional().openapi({
            description:
              'Present when the account must verify its primary address before it can do anything else.',
          }),
          sso: SsoOffer.optional(),
          session_connection: z
            .object({ id: id(), name: shown('Acme Keycloak') })
            .optional()
            .openapi({
              description:
                'The connection that began the session. A sign-in there with `fresh=true` replaces a step-up.',
            }),
          orgs: z.array(Organization),
          first_account: z.literal(true).optional().openapi({
            description:
              'Present for a visitor while no account exists and registration is open: the account that registers is the first one.',
          }),
          mails_in_log: z.literal(true).optional().openapi({
            description:
              "Present when no mail provider is configured: mails are not sent, and their links are in the server's log.",
          }),
        }),
      },
    },
    // For requests with cookies of several sessions.
    errors: ['auth_error/not_authenticated'],
  },
  async (call) => {
    const { db, services } = call;
    const { config, knownAccounts, mailer } = services;
    const site = {
      base_domain: config.baseDomain ?? '',
      ...ssoOffer(config),
      ...(mailer.logsLinks && { mails_in_log: true as const }),
    };
    const visitor = await visitorOf(call);
    if (!visitor) {
      const isFirst = await awaitsFirstAccount(db, knownAccounts);
      return ok({ ...site, orgs: [], ...(isFirst && { first_account: true as const }) });
    }
    const { session, user } = visitor;
    const connection = await namedConnection({ db, config }, session.ssoConnectionId);
    const isClosed = config.requireVerifiedEmail && !user.emailVerified;
    return ok({
      ...site,
      user: { ...toUser(user), mfa_enabled: user.mfaEnabled },
      ...(connection && { session_connection: connection }),
      ...(isClosed && { email_verification_required: true as const }),
      orgs: await listOrgsOf(visitor, services),
    });
  },
);
