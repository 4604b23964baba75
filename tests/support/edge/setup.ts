import type { TestProject } from 'vitest/node';
import { startWorkerd } from '../../../scripts/edge/workerd.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The port of the workerd that serves the apps; undefined when they run in process. */
    edgePort: number | undefined;
  }
}

/** One workerd for the whole run. */
export default async function setup(project: TestProject) {
  const edge = await startWorkerd({
    entry: 'tests/support/edge/worker.ts',
    address: '127.0.0.1:0',
    variables: {},
    schemeHeader: 'x-test-scheme',
    onLine: (line) => process.stderr.write(`workerd: ${line}\n`),
  });
  project.provide('edgePort', edge.port);
  return edge.stop;
}
