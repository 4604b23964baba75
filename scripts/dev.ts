import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createServer } from 'vite';

/*
 * The server, started anew when a source of it changes, and in front of it Vite, which shows changes of the web UI at
 * once. A signal ends both; so does the end of the server.
 */

const root = resolve(import.meta.dirname, '..');
if (existsSync('.env')) process.loadEnvFile('.env');
const { env } = process;

// Where ui/vite.config.ts passes the API's requests on to.
env.SVC_BASE_URL ??= `http://localhost:${env.SVC_PORT || 8080}`;
const ui = await createServer({ configFile: resolve(root, 'ui/vite.config.ts') });
await ui.listen();
ui.printUrls();
// Links in mails lead to the page that is worked on.
if (!env.SVC_BASE_DOMAIN) env.SVC_PUBLIC_URL ||= ui.resolvedUrls?.local[0] ?? '';

// In a group of its own, because a second signal, such as a terminal's Ctrl-C beside ours, would kill it half way.
const server = spawn(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'watch', 'server.ts'], {
  cwd: root,
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
});
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!stopping) server.kill(signal);
    stopping = true;
  });
}

const [code] = await once(server, 'exit');
await ui.close();
process.exit(code ?? 0);
