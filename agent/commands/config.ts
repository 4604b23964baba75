import { table } from '../output.ts';
import type { Setting } from '../settings.ts';
import { startSession } from './common.ts';
import { type CommonFlags, EXIT } from './options.ts';

/** Shows every setting, its value and where it came from; of the key no more than its beginning. */
export async function showConfig(flags: CommonFlags): Promise<number> {
  const { settings, output } = startSession(flags);
  const { baseUrl, apiKey, project, org, workspace } = settings;
  const masked: Setting = { ...apiKey, value: apiKey.value && `${apiKey.value.slice(0, 8)}…` };
  const all: Record<string, Setting> = {
    base_url: baseUrl,
    api_key: masked,
    project,
    org,
    workspace: { value: workspace, source: flags.workspace === '.' ? 'working directory' : '--workspace' },
  };
  if (flags.json) output.json(all);
  else {
    const rows = Object.entries(all).map(([name, { value, source }]) => [
      name,
      value ?? '(not set)',
      source ?? '',
    ]);
    output.result(table(rows, { left: true }));
  }
  return EXIT.ok;
}
