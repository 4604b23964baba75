import { MAPPED_ROLES } from '../../../db/schema/orgs.ts';
import { baseDomainOnly } from '../../../lib/http/access.ts';
import {
  asksForPage,
  describePerson,
  flowOf,
  orExplain,
  setSsoCookie,
  spendFlow,
  testResult,
  visitorAt,
} from '../../../lib/http/accounts/sso.ts';
import { linkIdentity } from '../../../lib/http/accounts/sso-link.ts';
import { completeSso } from '../../../lib/http/accounts/sso-sign-in.ts';
import { ok, redirect } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { shown, z } from '../../../lib/schema.ts';
import { type Flow, flowCookie } from '../../../lib/sso/flow.ts';
import { MfaRequired, mfaRequired } from '../login.ts';

const SsoTest = z
  .object({
    claims: z
      .record(z.string(), z.unknown())
      .openapi({ example: { sub: '248289761001', groups: ['security'] } }),
    subject: shown('248289761001', 'Identifies the person, together with the issuer.'),
    email: shown('ada@acme.example').optional(),
    email_verified: z.boolean().optional().openapi({ example: true }),
    domain_proven: z.boolean().openapi({ example: true }),
    name: shown('Ada Lovelace'),
    groups: z.array(z.string()).openapi({ example: ['security'] }),
    role: z
      .enum(MAPPED_ROLES)
      .optional()
      .openapi({ example: 'member', description: 'The role that the claims give. Absent: no access.' }),
    mfa: z.boolean().openapi({ example: true, description: 'The provider used several factors.' }),
    warnings: z.array(z.string()).openapi({ example: ['The claim groups is missing.'] }),
  })
  .openapi('SsoTest');

const code = (description: string) => z.string().optional().openapi({ description });

export const ssoCallback = endpoint(
  {
    method: 'get',
    path: '/auth/sso/callback',
    access: baseDomainOnly,
    audit: { may: ['member.joined', 'member.role_changed', 'member.removed'] },
    tag: 'Single sign-on',
    summary: 'Complete a sign-in at a provider',
    description:
      'The provider sends the browser here. Signs in the account that the issuer and the subject identify; a person who signs in for the first time gets an account. An existing account with the address is used only if the organization has proven its domain, and the connection names it, otherwise 409 `conflict`: sign in to it, then connect the provider by `POST /profile/identities`. A connection of an organization signs in people to whom it gives a role, and members with an address of its proven domains. 409 too if another account is signed in in this browser. The role is that of the groups. A test shows the claims and signs nobody in. `Accept: text/html` gets errors as a redirect to the sign-in page, and the second factor as a redirect with the fragment `#mfa=`.',
    request: {
      query: z.object({
        code: code('The authorization code.'),
        state: code('Of the sign-in.'),
        iss: code('The issuer (RFC 9207).'),
        error: code('Why the provider refused.'),
        error_description: code('For people.'),
      }),
    },
    foreignQuery: true,
    responses: {
      200: {
        description: 'The result of a test; or the token and the devices for the second factor.',
        result: z.union([SsoTest, MfaRequired]).openapi('SsoResult'),
      },
      302: {
        description: 'Signed in: the session cookie is set. Or the account is connected.',
        cookie: true,
      },
    },
    errors: [
      'auth_error/invalid_credentials',
      'permission_error/denied',
      'resource_error/not_found',
      'resource_error/conflict',
    ],
  },
  async (call) => {
    const { c, query } = call;
    let flow: Flow | undefined;
    return orExplain(
      call,
      () => ({ path: flow?.purpose === 'link' ? '/profile/mfa' : '/login' }),
      async () => {
        flow = await flowOf(call, query.state);
        // The page calls this endpoint again, and shows the answer.
        if (flow.purpose === 'test' && asksForPage(call))
          return redirect(`/sso-test${new URL(c.req.url).search}`);
        setSsoCookie(call, flowCookie(flow.state), '', 0);
        const visitor = await visitorAt(call);
        await spendFlow(call, flow);
        const described = await describePerson(call, flow);
        if (flow.purpose === 'test') return ok(testResult(described));
        if (flow.purpose === 'link') {
          await linkIdentity(visitor, flow, described);
          return redirect(flow.returnTo ?? '/profile/mfa');
        }
        const signedIn = await completeSso(call, visitor, flow, described);
        const { location, mfa } = signedIn;
        if (!mfa) return redirect(location, signedIn.headers);
        const required = mfaRequired(mfa.token, mfa.devices);
        if (!asksForPage(call)) return ok(required);
        const fragment = new URLSearchParams({ mfa: JSON.stringify(required) });
        return redirect(`/login?${new URLSearchParams({ return_to: location })}#${fragment}`);
      },
    );
  },
);
