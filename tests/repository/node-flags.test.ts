import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server/process.ts';

const read = (file: string) => readFile(join(ROOT, file), 'utf8');
const flagsIn = (text: string) => text.match(/--[\w-]+(?:=\w+)?/g);

it.each([
  ['Dockerfile', /^ENTRYPOINT .*/m],
  ['deploy/systemd/svc-findings.service', /^ExecStart=.*/m],
  ['README.md', /`node .* dist\/server.js`/],
  ['docs/deployment.md', /^node .* dist\/server.js/m],
  ['docs/deployment.md', /^NODE_OPTIONS=.*/m],
  ['docs/scaling.md', /SVC_PORT=8081 node .* dist\/server.js/],
  ['docs/scaling.md', /SVC_PORT=8082 node .* dist\/server.js/],
])('%s starts the server with the flags of `npm start`', async (file, pattern) => {
  const { scripts } = JSON.parse(await read('package.json'));
  const [start = ''] = pattern.exec(await read(file)) ?? [];
  expect(flagsIn(start)).toEqual(flagsIn(scripts.start));
});
