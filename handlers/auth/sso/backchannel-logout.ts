import { and, eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { ssoConnections } from '../../../db/schema/orgs.ts';
import { spendChallenge } from '../../../lib/accounts/passkeys/challenges.ts';
import { ApiError } from '../../../lib/errors.ts';
import { publicAccess } from '../../../lib/http/access.ts';
import { done } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { readForm } from '../../../lib/http/request/form.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { OutboundError } from '../../../lib/outbound/error.ts';
import { plainIssuer } from '../../../lib/outbound/issuers.ts';
import { isStorable, shown, z } from '../../../lib/schema.ts';
import { deploymentConnection } from '../../../lib/sso/connections.ts';
import { readLogout } from '../../../lib/sso/logout-token.ts';
import { endSsoSessions } from '../../../lib/sso/sessions.ts';

const TOKEN_MS = 15 * 60_000;

export const backchannelLogout = endpoint(
  {
    method: 'post',
    path: '/auth/sso/backchannel-logout',
    access: publicAccess,
    audit: { none: 'account' },
    tag: 'Single sign-on',
    summary: 'End sessions by a logout token of a provider',
    description:
      'OpenID Connect Back-Channel Logout 1.0: the provider sends a form (`application/x-www-form-urlencoded`) with a `logout_token`, when somebody signs out there or is disabled. Ends the sessions that it names by `sid` or `sub`. Each token works once.',
    form: z.object({ logout_token: shown('eyJhbGciOiJSUzI1NiJ9.eyJ.sig') }),
    responses: { 200: { description: 'The sessions are ended.', message: 'Sessions ended.' } },
  },
  async (call) => {
    const { c, db, now, services } = call;
    const token = (await readForm(c)).get('logout_token') ?? '';
    const clientId = await clientOf(token);
    const payload = clientId && (await verified(clientId));
    const logout = payload && readLogout(payload);
    if (!clientId || !logout) throw refused();
    const ended = await db.transaction(async (tx) => {
      const jti = {
        text: `sso logout ${clientId.issuer} ${logout.jti}`,
        expiresAt: new Date(now.getTime() + TOKEN_MS),
      };
      if (!(await spendChallenge(tx, jti))) throw refused();
      return endSsoSessions(
        tx,
        { ...clientId, issuer: logout.issuer, sub: logout.sub, sid: logout.sid },
        now,
      );
    });
    for (const { id, userId } of ended)
      logSecurityEvent(call, 'sso_logout', { session: id, account: userId });
    return done();

    function refused() {
      return new ApiError('validation_error/invalid_request', { message: 'The logout token is not valid.' });
    }

    /** The issuer and client of a token, if a connection has them: nothing is asked of others, and an address that fails is not asked again at once (`Issuers`). */
    async function clientOf(text: string): Promise<{ issuer: string; clientId: string } | undefined> {
      let claims: ReturnType<typeof decodeJwt>;
      try {
        claims = decodeJwt(text);
      } catch {
        return undefined;
      }
      const { iss, aud } = claims;
      if (typeof iss !== 'string' || !isStorable(iss)) return undefined;
      const issuer = plainIssuer(iss);
      const deployment = deploymentConnection(services.config);
      for (const clientId of [aud].flat().slice(0, 5)) {
        if (typeof clientId !== 'string' || !isStorable(clientId)) continue;
        if (deployment && plainIssuer(deployment.issuer) === issuer && deployment.clientId === clientId)
          return { issuer, clientId };
        const [found] = await db
          .select({ issuer: ssoConnections.issuer })
          .from(ssoConnections)
          .where(and(eq(ssoConnections.issuer, issuer), eq(ssoConnections.clientId, clientId)))
          .limit(1);
        if (found) return { issuer, clientId };
      }
      return undefined;
    }

    async function verified({ issuer, clientId }: { issuer: string; clientId: string }) {
      try {
        return await services.issuers.verify(issuer, token, {
          audience: clientId,
          now,
          requiredClaims: ['jti'],
          maxAge: 600,
        });
      } catch (error) {
        if (error instanceof OutboundError) return undefined;
        throw error;
      }
    }
  },
);
