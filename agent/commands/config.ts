import { table } from '../output.ts';
import type { Setting } from '../settings.ts';
import { keyOrigins } from '../trust/keys.ts';
import { startSession } from './common.ts';
import { type CommonFlags, EXIT } from './options.ts';

/** Prints every setting and its source. Only the first 8 characters of the key are shown. @returns the exit code */
export async function showConfig(flags: CommonFlags): Promise<number> {
  const { settings, output, state } = startSession(flags);
  const { baseUrl, apiKey, project, org, workspace, trustedHosts } = settings;
  const origins = apiKey.value === undefined ? [] : keyOrigins(state, apiKey.value);
  const hosts = trustedHosts?.hosts.map(({ text }) => text);
  const masked: Setting = { ...apiKey, value: apiKey.value && `${apiKey.value.slice(0, 8)}…` };
  const shownSettings: Record<string, Setting> = {
    base_url: baseUrl,
    api_key: masked,
    project,
    org,
    workspace: { value: workspace, source: flags.workspace === '.' ? 'working directory' : '--workspace' },
    trusted_hosts: { value: hosts?.join(', '), source: trustedHosts?.source },
    key_belongs_to: {
      value: origins.join(', ') || undefined,
      source: origins.length > 0 ? 'state' : undefined,
    },
    state: { value: state.directory, source: undefined },
  };
  if (flags.json) output.json(shownSettings);
  else {
    const rows = Object.entries(shownSettings).map(([name, { value, source }]) => [
      name,
      value ?? '(not set)',
      source ?? '',
    ]);
    output.result(table(rows, { left: true }));
  }
  return EXIT.ok;
}
