import type { TestProject } from 'vitest/node';
import findBrowser from '../../browser/support/chromium.ts';
import startPostgres from '../database/postgres.ts';
import { buildServer, ROOT } from '../server/process.ts';

/**
 * Builds `dist/` once for all suites that start it, as `npm start` does, or for the long suites, which measure files, as a release.
 * The database starts meanwhile.
 */
export default async function setup(project: TestProject) {
  const long = project.name === 'long';
  if (long) findBrowser(project);
  const [stopPostgres] = await Promise.all([startPostgres(project), buildServer(ROOT, { fast: !long })]);
  return stopPostgres;
}
