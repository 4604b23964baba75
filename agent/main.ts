#!/usr/bin/env node
import { main } from './cli.ts';

// Of `svc-agent findings | head` the rest is not wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const result = await main(process.argv.slice(2));
// A signal has set its own.
process.exitCode ??= result;
