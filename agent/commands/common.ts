import { UsageError } from '../errors.ts';
import { createOutput, type Output } from '../output.ts';
import { resolveSettings, type Settings } from '../settings.ts';
import type { CommonFlags } from './options.ts';

export interface Session {
  settings: Settings;
  output: Output;
}

/** Settings and output of a command; warnings are given. */
export function startSession(flags: CommonFlags): Session {
  const output = createOutput({ quiet: flags.quiet ?? false, json: flags.json ?? false });
  const settings = resolveSettings(flags, process.env);
  for (const warning of settings.warnings) output.warn(warning);
  return { settings, output };
}

/** @throws UsageError that says how to give what is missing */
export function requireConnection({ baseUrl, apiKey, org }: Settings) {
  if (!baseUrl.value) {
    throw new UsageError(
      'The address of the service is not set: use --report-base-url, SVC_BASE_URL, or reporting.base_url in .svc/config.yml.',
    );
  }
  if (!apiKey.value) throw new UsageError('There is no API key: set the environment variable SVC_API_KEY.');
  return { baseUrl: baseUrl.value, apiKey: apiKey.value, orgSlug: org.value };
}

/** @throws UsageError that says how to give what is missing */
export function requireProject({ project }: Settings): string {
  if (!project.value) {
    throw new UsageError(
      'The project is not set: use --project, SVC_PROJECT_ID, or reporting.project_id in .svc/config.yml.',
    );
  }
  return project.value;
}
