import { createHmac } from 'node:crypto';
import { and, count, eq, gt, lt, min, ne, sql } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import type { Db, Tx } from '../../../db/client.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import type { Config } from '../../config/config.ts';
import type { KeyRing } from '../../crypto/keys.ts';
import { ApiError } from '../../errors.ts';
import { orgUrl } from '../../members/invitations.ts';
import type { Org } from '../../orgs/directory.ts';
import { OutboundError } from '../../outbound/error.ts';
import { type Issuers, plainIssuer } from '../../outbound/issuers.ts';
import { readProject } from '../../projects/projects.ts';
import { isStorable } from '../../schema.ts';
import { generateToken } from '../format.ts';
import { hasClaims, type Payload, sourceOf } from './claims.ts';
import { listTrusts, type Trust } from './trusts.ts';

/** How long an issued token works, and how old the token of a CI system may be. GitLab and CircleCI give one to the whole job. */
const HOUR_S = 60 * 60;
/** A job can ask its CI system for any number of tokens, and each leaves an entry in the audit log. */
const MAX_LIVE = 1_000;

/** Makes the secrets that CI systems get. */
export interface CiSecrets {
  /** The same one for the same claims, so that a token that is exchanged again adds nothing. */
  secretFor(trustId: string, claims: string): ReturnType<typeof generateToken>;
}

export function createCiSecrets([key]: KeyRing): CiSecrets {
  if (!key) throw new Error('no key for tokens of CI systems');
  return {
    secretFor(trustId, claims) {
      const mac = createHmac('sha256', key.bytes).update(`${trustId} ${claims}`);
      return generateToken('organization', mac.digest().subarray(0, 16));
    },
  };
}

/** A token that a trust accepts. */
export interface Accepted {
  trust: Trust;
  payload: Payload;
  /** The claims, as the token has them. */
  signed: string;
}

/**
 * Checks a token of a CI system. Nothing is asked of an issuer that no trust of the project names.
 * @returns the reason for the log if it is refused. The caller must not learn it: it tells which projects exist
 */
export async function checkIdToken(
  { config, issuers }: { config: Pick<Config, 'publicUrl' | 'baseDomain'>; issuers: Issuers },
  { db, now, org }: { db: Db; now: Date; org: Org },
  { id_token, project: named }: { id_token: string; project: string },
): Promise<Accepted | { refused: string }> {
  const issuer = issuerOf(id_token);
  if (issuer === undefined) return { refused: 'it is no token of an issuer' };
  const project = await readProject(db, org.tables, named).catch((error) => {
    if (error instanceof ApiError && error.key === 'resource_error/not_found') return undefined;
    throw error;
  });
  if (!project || project.transferring) return { refused: 'the project does not exist, or is moving' };
  const trusts = await listTrusts(db, org.tables, project.id, issuer);
  if (trusts.length === 0) return { refused: 'no trust of the project names the issuer' };
  try {
    const payload = await issuers.verify(issuer, id_token, {
      audience: await audiencesOf(db, config, org),
      now,
      requiredClaims: ['exp'],
      maxAge: HOUR_S,
    });
    if (!payload) return { refused: 'it is not signed by the issuer, expired or for another audience' };
    const trust = trusts.find(({ claims }) => hasClaims(payload, claims));
    return trust
      ? { trust, payload, signed: id_token.split('.')[1] ?? '' }
      : { refused: 'no trust of the project has its claims' };
  } catch (error) {
    if (error instanceof OutboundError) return { refused: error.message };
    throw error;
  }
}

/** The addresses of an organization, as agents have them in `SVC_BASE_URL`. */
async function audiencesOf(
  db: Db,
  config: Pick<Config, 'publicUrl' | 'baseDomain'>,
  { id, slug }: Org,
): Promise<string[]> {
  const [row] = await db.select({ domain: orgs.customDomain }).from(orgs).where(eq(orgs.id, id));
  return [
    config.publicUrl,
    ...(config.baseDomain ? [orgUrl(config, slug)] : []),
    ...(row?.domain ? [`https://${row.domain}`] : []),
  ];
}

function issuerOf(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' && isStorable(iss) ? plainIssuer(iss) : undefined;
  } catch {
    return undefined;
  }
}

/** The run that has got a token. */
export interface Run {
  token: string;
  expiresAt: Date;
  /** Such as `GitHub Actions acme/web-shop run 123`. */
  name: string;
  /** The token was exchanged for the first time. */
  isNew: boolean;
}

/** Gives a run its token, which works only as long as the trust. The name of the trust follows that of the source. */
export async function issueCiToken(
  db: Db | Tx,
  tables: OrgTables,
  { trust, payload, signed }: Accepted,
  { ciSecrets, now }: { ciSecrets: CiSecrets; now: Date },
): Promise<Run> {
  const { apiTokens, ciTokens } = tables;
  const { source, run } = sourceOf(trust, payload);
  const { token, prefix, hash } = ciSecrets.secretFor(trust.id, signed);
  const expiresAt = new Date(now.getTime() + HOUR_S * 1_000);
  const [others] = await db
    .select({ count: count(), end: min(ciTokens.expiresAt) })
    .from(ciTokens)
    .where(and(eq(ciTokens.trustId, trust.id), gt(ciTokens.expiresAt, now), ne(ciTokens.tokenHash, hash)));
  if (others && others.count >= MAX_LIVE)
    throw new ApiError('rate_limit_error/exceeded', {
      message: `The jobs of a trust have at most ${MAX_LIVE} tokens at a time.`,
      retryAfter: Math.max(1, Math.ceil(((others.end?.getTime() ?? 0) - now.getTime()) / 1_000)),
      limit: { limit: 'ci_tokens', max: MAX_LIVE, trust: trust.id },
    });
  await db
    .update(apiTokens)
    .set({ name: source })
    .where(and(eq(apiTokens.id, trust.id), ne(apiTokens.name, source)));
  const [row] = await db
    .insert(ciTokens)
    .values({ prefix, tokenHash: hash, trustId: trust.id, expiresAt })
    .onConflictDoUpdate({ target: [ciTokens.prefix, ciTokens.tokenHash], set: { expiresAt } })
    .returning({ isNew: sql<boolean>`xmax = 0` });
  return { token, expiresAt, name: `${source} ${run}`.trim(), isNew: row?.isNew ?? false };
}

/** Deletes tokens of CI systems that have expired, and what is left of trusts that have ended. */
export async function purgeCi(
  db: Db,
  { apiTokens, ciTokens, ciTrusts }: OrgTables,
  now: Date,
): Promise<void> {
  await db.delete(ciTokens).where(lt(ciTokens.expiresAt, now));
  await db
    .delete(ciTrusts)
    .where(
      sql`not exists (select from ${apiTokens} where ${apiTokens.id} = ${ciTrusts.id} and not ${apiTokens.revoked})`,
    );
}
