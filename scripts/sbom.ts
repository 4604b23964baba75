import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { distributedDependencies, readPackages } from './dependencies/packages.ts';
import { distributedBom } from './dependencies/sbom.ts';

/* Prints a software bill of materials (CycloneDX) of what users install or download, from package-lock.json. */

const root = resolve(import.meta.dirname, '..');
const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
const bom = distributedBom(
  JSON.parse(text),
  'svc-findings',
  readPackages(root, distributedDependencies(root)),
);
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
