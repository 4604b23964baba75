import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FIXTURES } from '../tests/support/importers/edits/code.ts';
import { programPath, SCANNERS, scan } from '../tests/support/importers/edits/scanners.ts';

/*
 * Records what scanners report about the code in tests/fixtures/edits: npm run edits:record [-- <scanner>…]
 * Scanners that are not installed are skipped.
 */

const wanted = process.argv.slice(2);
for (const scanner of SCANNERS) {
  const { name, program, unused = [] } = scanner;
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const path = programPath(program);
  if (!path) {
    process.stdout.write(`${name}: skipped, ${program} is not installed\n`);
    continue;
  }
  const file = fileURLToPath(new URL(`reports/${name}.json`, FIXTURES));
  const report = JSON.parse(scan(scanner, path), (key, value) => (unused.includes(key) ? undefined : value));
  writeFileSync(file, JSON.stringify(report));
  execFileSync('npx', ['biome', 'format', '--write', '--files-max-size=4000000', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.stdout.write(`${name}: recorded\n`);
}
