import argon2 from '@phi-ag/argon2/argon2.wasm';
import page from './dist/public/index.html';
import { endpoints } from './handlers/index.ts';
import { createEdgeHasher } from './lib/edge/argon2.ts';
import { createWorker } from './lib/edge/worker.ts';

export default createWorker({
  endpoints,
  page,
  hasher: createEdgeHasher(argon2),
  // biome-ignore lint/suspicious/noConsole: there is no other way out
  write: (line) => console.log(line.trimEnd()),
});
