import type { Migration } from '../../../db/migrations/migrate.ts';
import type { BackupKey } from './keys.ts';
import type { Members } from './members.ts';
import type { VerifiedBackup } from './verify.ts';

/** The plan of a restore, made before its transaction. */
export interface RestorePlan {
  backup: VerifiedBackup;
  file: string;
  key: BackupKey;
  orgId: string;
  slug: string;
  isCopy: boolean;
  members: Members;
  ownerId: string | undefined;
  revokeTokens: boolean;
  migrations: readonly Migration[];
}
