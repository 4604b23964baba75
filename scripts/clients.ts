import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endpoints } from '../handlers/index.ts';
import { describeApi, toYaml } from '../lib/http/openapi/document.ts';
import { createClient, createOrg, must } from '../tests/support/api/client.ts';
import { table } from '../tests/support/scenario/figure.ts';
import { openScene } from '../tests/support/scenario/scene.ts';
import { openSite, type Site } from '../tests/support/scenario/site.ts';
import { generators } from './clients/generators.ts';
import { MissingToolchain, type Workshop, workshop } from './clients/workshop.ts';

/*
 * Generates clients from the API's description, compiles them, and lets each push, list, triage and export findings of a server.
 */

const USAGE = `npm run clients -- [options]
  --only NAME   only this generator (repeatable): ${Object.keys(generators).join(', ')}
`;

const { values: options } = parseArgs({
  options: { only: { type: 'string', multiple: true }, help: { type: 'boolean' } },
});
const unknown = options.only?.filter((name) => !(name in generators)) ?? [];
if (options.help || unknown.length > 0) {
  process.stdout.write(USAGE);
  process.exit(options.help ? 0 : 1);
}

const site = await openSite();
let code = 1;
try {
  code = (await generate(site)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).stack}\n`);
}
await site.close();
process.exit(code);

/** @returns whether no client failed */
async function generate(site: Site): Promise<boolean> {
  const document = describeApi(endpoints);
  const yaml = join(site.workDir, 'openapi.yaml');
  const json = join(site.workDir, 'openapi.json');
  await writeFile(yaml, toYaml(document));
  await writeFile(json, JSON.stringify(document));
  const env = await startService(site);

  const rows = [['client', 'result', 'seconds']];
  let failed = 0;
  for (const [name, generator] of Object.entries(generators)) {
    if (options.only && !options.only.includes(name)) continue;
    const dir = join(site.workDir, name);
    await mkdir(dir);
    const tools: Workshop = workshop({ site, dir, yaml, json, env: { ...env, SCAN: randomUUID() } });
    const began = performance.now();
    const result = await generator(tools).then(
      () => 'ok',
      (error: Error) => {
        if (error instanceof MissingToolchain) return `skipped: ${error.message}`;
        failed++;
        site.say(`\n${name}: ${error.message}\n`);
        return 'failed';
      },
    );
    rows.push([name, result, `${Math.round((performance.now() - began) / 1000)}`]);
    site.say(`${name}: ${result}`);
  }
  site.say(`\n${table(rows)}`);
  return failed === 0;
}

/** @returns what a scenario needs: the address, an organization with a project, and two tokens */
async function startService(site: Site): Promise<Record<string, string>> {
  const { url } = await openScene(site).server();
  const api = createClient(fetch, url);
  const org = await createOrg(api, 'clients');
  const body = { name: 'clients', scopes: ['triage'], expires_in: 1 };
  const { token } = must(await api.post('/profile/tokens', { ...org.asOwner, body }));
  return {
    BASE_URL: url,
    ORG: org.slug,
    PROJECT: org.projectId,
    INGEST_TOKEN: org.token,
    TRIAGE_TOKEN: token,
  };
}
