#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { askAtTerminal } from './lib/admin/ask.ts';
import { runAdmin } from './lib/admin/run.ts';

/* `npm run admin -- …`: reads the same configuration as server.ts. */
const hasEnvFile = process.argv.some((arg) => /^--env-file(?:=|$)/.test(arg));
if (!hasEnvFile && existsSync('.env')) process.loadEnvFile('.env');

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupted.abort(name));

// Write errors, such as those of a closed pipe, are ignored.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const code = await runAdmin(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  signal: interrupted.signal,
  ask: process.stdin.isTTY ? askAtTerminal : undefined,
});
// Once everything is written.
process.stderr.write('', () => process.stdout.write('', () => process.exit(code)));
