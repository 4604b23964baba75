import { refusesWrites } from '../../../db/errors.ts';
import type { Org } from '../../orgs/directory.ts';
import { logSecurityEvent } from '../../security-events.ts';
import { type ApiToken, parseBearer } from '../../tokens/api-tokens.ts';
import type { AgentCall, PublicCall } from '../call.ts';
import type { Admitted } from './access.ts';
import { admitToShare, findOrg, requestOf } from './share.ts';

export async function admitAgent(base: PublicCall): Promise<Admitted<AgentCall>> {
  const { c, services, log } = base;
  const text = parseBearer(c.req.header('authorization'));
  const org = await findOrg(base);
  const request = requestOf(base);
  request.org = org.slug;
  const token = await admitToShare(base, org, () => services.apiTokens.check(org, text));
  request.token = token.id;
  if (token.unused) await noteFirstUse(base, org, token);
  let touched = false;
  const tokenTouched = () => {
    touched = true;
  };
  return {
    call: Object.assign(base, { org, token, tokenTouched }),
    async leave() {
      if (touched) return;
      // The answer stands, whatever becomes of the time stamp.
      await services.apiTokens
        .touch(org, token.id)
        .catch((error) => log[refusesWrites(error) ? 'debug' : 'warn']('last_used was not set', { error }));
    },
  };
}

/** Writes to the security log that a token is used for the first time: by one of several requests at once. */
async function noteFirstUse(base: PublicCall, org: Org, { id, projectId }: ApiToken): Promise<void> {
  const isFirst = await base.services.apiTokens.claimFirstUse(org, id).catch((error) => {
    base.log[refusesWrites(error) ? 'debug' : 'warn']('last_used was not set', { error });
    return false;
  });
  if (isFirst) logSecurityEvent(base, 'token_first_used', { project: projectId ?? undefined });
}
