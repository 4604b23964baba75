#!/usr/bin/env node
import { main } from './cli.ts';

// `svc-agent findings | head` closes stdout early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const result = await main(process.argv.slice(2));
// A signal handler may have set the exit code.
process.exitCode ??= result;
