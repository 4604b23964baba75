#!/usr/bin/env node
import { main } from './cli.ts';
import { printable } from './text.ts';

// `svc-agent findings | head` closes stdout early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// Node would print the error as it is, with text from servers and reports.
process.on('uncaughtException', (error) => {
  process.stderr.write(`svc-agent: ${printable(String(error?.stack ?? error))}\n`);
  process.exit(1);
});

const result = await main(process.argv.slice(2));
// A signal handler may have set the exit code.
process.exitCode ??= result;
