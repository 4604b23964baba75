import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { audit } from './dependencies/audit.ts';
import { installScriptFaults } from './dependencies/install-scripts.ts';
import { licenseFaults, licensesDocument } from './dependencies/licenses.ts';
import { distributedDependencies, readManifest, readPackages } from './dependencies/packages.ts';
import { reasonFaults } from './dependencies/reasons.ts';

/*
 * Writes docs/licenses.md. With --check it writes nothing and reports problems instead, of the packages of both lock files: licences,
 * install scripts, missing purposes and known vulnerabilities; and an outdated docs/licenses.md.
 */

const root = resolve(import.meta.dirname, '..');
const tools = resolve(root, 'tools');
const DOCUMENT = resolve(root, 'docs/licenses.md');
const REASONS = resolve(root, 'docs/dependencies.md');
const packages = readPackages(root, distributedDependencies(root));
const toolPackages = readPackages(tools);
const all = [...packages, ...toolPackages];
const manifest = readManifest(root);
const toolManifest = readManifest(tools);
const document = licensesDocument(all);

if (!process.argv.includes('--check')) {
  writeFileSync(DOCUMENT, document);
} else {
  const audits = await Promise.all([audit(root), audit(tools)]);
  for (const one of audits) if ('skipped' in one) process.stderr.write(`npm audit skipped: ${one.skipped}\n`);
  const faults = [
    ...licenseFaults(all),
    ...installScriptFaults(packages, manifest),
    ...installScriptFaults(toolPackages, toolManifest, 'tools/package.json'),
    ...reasonFaults(readFileSync(REASONS, 'utf8'), manifest, toolManifest),
    ...audits.flatMap((one) => ('faults' in one ? one.faults : [])),
    ...(readFileSync(DOCUMENT, 'utf8') === document
      ? []
      : ['docs/licenses.md is out of date: npm run licenses:generate']),
  ];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
