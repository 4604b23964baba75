import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';

/** Removes what the run has noted of the responses it saw, when it is over. */
export default function setup(project: TestProject) {
  const dir = project.getProvidedContext().observedDir;
  return () => rm(dir, { recursive: true, force: true });
}
