import type { CellName } from '../../../db/cells/names.ts';
import type { Migration } from '../../../db/migrations/migrate.ts';
import type { Sessions } from '../../../db/moves/snapshots.ts';
import type { Logger } from '../../logger.ts';

/** What a move needs. */
export interface MoveCall extends Sessions {
  /** How the PostgreSQL of the target reaches that of the source. */
  sourceUrl: string;
  log: Logger;
  migrations: readonly Migration[];
  progress(line: string): void;
  /** Moves the organization also if members lose their access, because another account there has one of their addresses. */
  leaveOut?: boolean | undefined;
  /** Called with its names before anything is changed, unless the organization has left. It throws if the move cannot be. */
  onBegin?: ((names: CellName[]) => Promise<void>) | undefined;
  /** Called with those of its names that the other cell has taken over, when that serves the organization, perhaps again. */
  onServed?: ((names: CellName[]) => Promise<void>) | undefined;
}
