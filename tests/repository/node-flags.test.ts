import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server/process.ts';

const read = (file: string) => readFile(join(ROOT, file), 'utf8');
const flagsIn = (text: string) => text.match(/--[\w-]+(?:=\w+)?/g);

it.each([
  ['Dockerfile', /^ENTRYPOINT .*/m],
  ['deploy/systemd/svc-findings.service', /^ExecStart=.*/m],
  ['deploy/systemd/svc-findings@.service', /^ExecStart=.*/m],
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

it('the systemd template differs from the unit in its port and its user only', async () => {
  const linesOf = async (file: string) =>
    (await read(`deploy/systemd/${file}`)).split('\n').filter((line) => !/^(?:#|Description=)/.test(line));
  const [unit, template] = await Promise.all(['svc-findings.service', 'svc-findings@.service'].map(linesOf));
  const added = template?.filter((line) => !unit?.includes(line));
  const removed = unit?.filter((line) => !template?.includes(line));
  const environment = 'Environment=NODE_ENV=production SVC_DATA_DIR=/var/lib/svc-findings';
  expect([added, removed]).toEqual([[`${environment} SVC_PORT=%i`, 'User=svc-findings'], [environment]]);
});
