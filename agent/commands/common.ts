import { statSync } from 'node:fs';
import { basename, relative } from 'node:path';
import type { ApiKey } from '../delivery/api.ts';
import { createCiKey, idTokenSource } from '../delivery/ci-token.ts';
import { UsageError } from '../errors.ts';
import { createOutput, type Output } from '../output.ts';
import { resolveSettings, type Settings } from '../settings.ts';
import { shellArgument } from '../text.ts';
import { confirmAtTerminal } from '../trust/confirm.ts';
import { checkWorkspaceDestination, requireTrustedHost } from '../trust/destination.ts';
import { parseHost } from '../trust/hosts.ts';
import { openState, type State } from '../trust/state.ts';
import type { CommonFlags } from './options.ts';

export interface Session {
  settings: Settings;
  output: Output;
  state: State;
  flags: CommonFlags;
}

export function startSession(flags: CommonFlags): Session {
  const output = createOutput({ quiet: flags.quiet ?? false, json: flags.json ?? false });
  const settings = resolveSettings(flags, process.env);
  // A mistyped directory would be created for the journal, and nothing would be scanned.
  if (!statSync(settings.workspace, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--workspace: ${settings.workspace} is not a directory`);
  for (const warning of settings.warnings) output.warn(warning);
  return { settings, output, state: openState(process.env), flags };
}

const checked = new WeakMap<Session, ReturnType<typeof checkConnection>>();

/**
 * Checks once that the service may receive the key, and returns the connection options.
 * @throws UsageError if a setting is missing or the service may not receive the key
 */
export function requireConnection(session: Session): ReturnType<typeof checkConnection> {
  const connection = checked.get(session) ?? checkConnection(session);
  checked.set(session, connection);
  return connection;
}

async function checkConnection({ settings, output, state, flags }: Session) {
  const { baseUrl, apiKey, org, userBaseUrl, trustedHosts } = settings;
  if (!baseUrl.value) {
    throw new UsageError(
      'The address of the service is not set: use --report-base-url, SVC_BASE_URL, or reporting.base_url in .svc/config.yml.',
    );
  }
  const key = keyOf(settings, baseUrl.value);
  const source = baseUrl.source ?? '';
  requireTrustedHost(baseUrl.value, source, trustedHosts);
  const allowedHosts = (flags.trustHost ?? []).map((host) => parseHost(host, '--trust-host'));
  if (baseUrl.from === 'workspace') {
    await checkWorkspaceDestination({
      baseUrl: baseUrl.value,
      source,
      apiKey: apiKey.value,
      userBaseUrl: userBaseUrl.value,
      trustedHosts,
      allowedHosts,
      state,
      confirm: confirmAtTerminal,
      commandWith: (host) => commandWith('--trust-host', host),
    });
  }
  return {
    baseUrl: baseUrl.value,
    apiKey: key,
    orgSlug: org.value,
    trustedHosts,
    state,
    onWarning: output.warn,
  };
}

/** The API key, or how a job of a CI system gets one. @throws UsageError if it can get none */
function keyOf(settings: Settings, baseUrl: string): ApiKey {
  const { apiKey, org } = settings;
  if (apiKey.value) return apiKey.value;
  const source = idTokenSource(process.env);
  if (!source)
    throw new UsageError(
      'The API key is not set: set the environment variable SVC_API_KEY. A job of a CI system that the project trusts needs none, if it may get a token of that system.',
    );
  return createCiKey({ source, baseUrl, orgSlug: org.value, project: requireProject(settings) });
}

/** The current command line, quoted for a shell, with an option inserted after the subcommand. */
export function commandWith(option: string, value: string, [, program = '', ...args] = process.argv): string {
  const relativePath = relative('.', program);
  const name =
    basename(program) === 'svc-agent'
      ? ['svc-agent']
      : ['node', relativePath.startsWith('..') ? program : relativePath];
  const [command = '', ...rest] = args;
  return [...name, command, option, value, ...rest].map(shellArgument).join(' ');
}

/** @throws UsageError if the project is not set */
export function requireProject({ project }: Settings): string {
  if (!project.value) {
    throw new UsageError(
      'The project is not set: use --project, SVC_PROJECT_ID, or reporting.project_id in .svc/config.yml.',
    );
  }
  return project.value;
}
