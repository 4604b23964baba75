import { createReporter, type ReporterOptions } from '../../../agent/reporter.ts';
import type { AgentProject } from './agent-project.ts';

/** Starts a reporter of the library for a project, which repeats requests without waiting. */
export const startReporterFor = (
  { env, workspace }: Pick<AgentProject, 'env' | 'workspace'>,
  changed: Partial<ReporterOptions> & Pick<ReporterOptions, 'baseUrl'>,
) =>
  createReporter({
    apiKey: env.SVC_API_KEY ?? '',
    project: env.SVC_PROJECT_ID ?? '',
    orgSlug: env.SVC_ORG,
    persona: 'killua',
    workspace,
    retryDelays: [0.01, 0.01, 0.01],
    ...changed,
  });

/** The nth finding of a custom agent. */
export const ownFinding = (n: number, fields: object = {}) => ({
  fingerprint: `own:${n}`,
  title: `Finding ${n}`,
  severity: 'low' as const,
  description: 'Found by a custom agent.',
  ...fields,
});
