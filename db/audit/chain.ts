import { createHash, randomBytes } from 'node:crypto';

/*
 * The chain of an audit log. The hash of an entry covers the hash before it, its position and its content, so whoever changes,
 * removes or inserts an entry has to change all that follow. Names, addresses and user agents count by digests with a random salt:
 * once they are erased with the salt, the digest says nothing, and the chain still holds.
 */

/** The hash before the first entry. */
export const FIRST_HASH = '0'.repeat(64);

/** Personal data of an actor or target. */
export interface Names {
  salt: string;
  name: string;
  /** Empty for targets. */
  ip: string;
  userAgent: string;
}

/** The columns of an entry that its hash covers, as PostgreSQL returns and takes them. */
export interface Content {
  id: string;
  /** ISO 8601 with milliseconds. */
  at: string;
  action: string;
  actorType: string;
  actorId: string;
  actorDigest: string;
  targetType: string;
  targetId: string;
  targetDigest: string;
  /** JSON, the exact text. */
  changes: string;
  requestId: string;
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();

export const newSalt = (): string => randomBytes(16).toString('hex');

export const digestOf = ({ salt, name, ip, userAgent }: Names): string =>
  sha256(JSON.stringify([salt, name, ip, userAgent])).toString('hex');

/** A digest of the content, hex. */
export const contentDigest = (entry: Content): string =>
  sha256(
    JSON.stringify([
      ...[entry.id, entry.at, entry.action, entry.actorType, entry.actorId, entry.actorDigest],
      ...[entry.targetType, entry.targetId, entry.targetDigest, entry.changes, entry.requestId],
    ]),
  ).toString('hex');

/** The hash of an entry, as the statement in `write.ts` computes it. */
export function chainHash(before: string, seq: number, digest: string): string {
  const position = Buffer.alloc(8);
  position.writeBigInt64BE(BigInt(seq));
  return sha256(Buffer.concat([Buffer.from(before, 'hex'), position, Buffer.from(digest, 'hex')])).toString(
    'hex',
  );
}
