import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type CitusNodes, citusBinDir, startCitus } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster where suites make their databases; undefined when they use one PostgreSQL. */
    citus: CitusNodes | undefined;
  }
}

/** One cluster for the whole run. */
export default async function setup(project: TestProject) {
  const binDir = citusBinDir();
  if (!binDir) return;
  const workDir = await mkdtemp(join(tmpdir(), 'svc-citus-'));
  const undos = [() => rm(workDir, { recursive: true, force: true })];
  const onClose = (undo: () => Promise<unknown>) => void undos.push(undo as () => Promise<void>);
  const cluster = await startCitus({ workDir, onClose }, binDir, {
    ...{ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off' },
  });
  project.provide('citus', cluster.nodes());
  project.provide('postgresUrl', cluster.coordinator.url);
  return async () => {
    for (const undo of undos.reverse()) await undo();
  };
}
