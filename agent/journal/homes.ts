import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { State } from '../trust/state.ts';
import { realPathOf } from '../workspace/source.ts';
import { type Folder, openFolder } from './folder.ts';

const FOLDER = '.svc';

const SCANS = 'scans';

/** Opens `<workspace>/.svc/scans`; undefined if it does not exist and `create` is false. */
export function openScans(workspace: string, create: boolean): Folder | undefined {
  const folder = openFolder(workspace, FOLDER, { create });
  if (folder === undefined) return undefined;
  try {
    if (create) writeGitignore(folder);
    return folder.openFolder(SCANS, { create });
  } finally {
    folder.close();
  }
}

/** Keeps journals out of version control. */
function writeGitignore(folder: Folder): void {
  try {
    // `wx` fails if the path exists, also as a link.
    writeFileSync(folder.pathOf('.gitignore'), `${SCANS}/\n`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * The directories that can contain the journals of a workspace: the workspace and, for a workspace that is read-only, one in
 * the state directory.
 */
export function journalHomes(workspace: string, { directory }: State): string[] {
  if (directory === undefined) return [workspace];
  const id = createHash('sha256')
    .update(realPathOf(workspace) ?? resolve(workspace))
    .digest('hex')
    .slice(0, 32);
  return [workspace, join(directory, 'workspaces', id)];
}
