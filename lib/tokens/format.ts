import { hash, randomBytes } from 'node:crypto';
import { ApiError } from '../errors.ts';

/*
 * The text of tokens. Their beginnings differ, so that a leaked token shows what it opens, and secret scanners find it:
 * `svc_` for tokens of organizations, `svcp_` for personal access tokens, `scim_` for provisioning.
 */

export type TokenKind = 'organization' | 'personal' | 'scim';

const START: Record<TokenKind, string> = { organization: 'svc_', personal: 'svcp_', scim: 'scim_' };
const KINDS = Object.keys(START) as TokenKind[];

/** The form of every token that was ever made. */
const FORMAT: Record<TokenKind, RegExp> = {
  organization: /^svc_[0-9a-f]{32}$/,
  personal: /^svcp_[0-9a-f]{32}$/,
  scim: /^scim_[0-9a-f]{32}$/,
};

/** Random digits that are shown of a token. */
const SHOWN = 8;

export const isTokenOf = (kind: TokenKind, text: string): boolean => FORMAT[kind].test(text);

/** The part of a token that is stored as it is. */
export const tokenPrefix = (token: string): string => token.slice(0, token.indexOf('_') + 1 + SHOWN);

export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/**
 * A new token, and what is kept of it: 128 random bits need no slow hash.
 * @param bits that nobody else can know
 */
export function generateToken(
  kind: TokenKind = 'organization',
  bits = randomBytes(16),
): {
  token: string;
  prefix: string;
  hash: string;
} {
  const token = START[kind] + bits.toString('hex');
  return { token, prefix: tokenPrefix(token), hash: hashToken(token).toString('hex') };
}

/** The scheme, the token and whatever else an Authorization header has. */
const partsOf = (header: string): string[] => header.trim().split(/ +/);

/** The token in the Authorization header of an agent. */
export function parseBearer(header: string | undefined): string {
  if (header === undefined) throw new ApiError('auth_error/not_authenticated');
  const [scheme, token, ...rest] = partsOf(header);
  if (scheme?.toLowerCase() !== 'bearer' || !token?.startsWith(START.organization) || rest.length > 0)
    throw new ApiError('token_error/invalid_format');
  return token;
}

/** Whether an Authorization header has one of our tokens, valid or not. */
export const isOurToken = (header: string | undefined): boolean =>
  header !== undefined && KINDS.some((kind) => partsOf(header)[1]?.startsWith(START[kind]));

/**
 * The token in the Authorization header of a request that may also have a session. Other headers are ignored: a proxy in
 * front of the service may use them for credentials of its own.
 * @throws ApiError `token_error/invalid_format` for one of our tokens with more behind it
 */
export function findBearer(header: string | undefined): { kind: TokenKind; text: string } | undefined {
  if (header === undefined) return undefined;
  const [scheme, text, ...rest] = partsOf(header);
  const kind = KINDS.find((one) => text?.startsWith(START[one]));
  if (scheme?.toLowerCase() !== 'bearer' || text === undefined || !kind) return undefined;
  if (rest.length > 0) throw new ApiError('token_error/invalid_format');
  return { kind, text };
}
