import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';

/** Removes the notes about observed responses when the run is over. */
export default function setup(project: TestProject) {
  const dir = project.getProvidedContext().observedDir;
  return () => rm(dir, { recursive: true, force: true });
}
