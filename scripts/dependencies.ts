import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { audit } from './dependencies/audit.ts';
import { installScriptFaults } from './dependencies/install-scripts.ts';
import { licenseFaults, licensesDocument } from './dependencies/licenses.ts';
import { distributedDependencies, readManifest, readPackages } from './dependencies/packages.ts';
import { reasonFaults } from './dependencies/reasons.ts';

/*
 * Writes docs/licenses.md; with --check it says instead what is wrong with it and with the packages we depend on: their
 * licences, their install scripts, what they are for, and what the registry knows of their vulnerabilities.
 */

const root = resolve(import.meta.dirname, '..');
const DOCUMENT = resolve(root, 'docs/licenses.md');
const REASONS = resolve(root, 'docs/dependencies.md');
const packages = readPackages(root, distributedDependencies(root));
const manifest = readManifest(root);
const document = licensesDocument(packages);

if (!process.argv.includes('--check')) {
  writeFileSync(DOCUMENT, document);
} else {
  const audited = await audit(root);
  if ('skipped' in audited) process.stderr.write(`npm audit skipped: ${audited.skipped}\n`);
  const faults = [
    ...licenseFaults(packages),
    ...installScriptFaults(packages, manifest),
    ...reasonFaults(readFileSync(REASONS, 'utf8'), manifest),
    ...('faults' in audited ? audited.faults : []),
    ...(readFileSync(DOCUMENT, 'utf8') === document
      ? []
      : ['docs/licenses.md is out of date: npm run licenses:generate']),
  ];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
