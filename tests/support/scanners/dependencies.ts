import { NOWHERE, type RealScanner } from './scanner.ts';

/*
 * Dependencies and advisories are invented, so that the scanners need no network. The advisories are about two packages each.
 */

const PIP_AUDIT = [
  ...['-r', 'requirements.txt', '--no-deps', '--disable-pip', '--progress-spinner', 'off', '-f', 'json'],
  ...['-s', 'osv', '--osv-url'],
];

export const pipAudit: RealScanner = {
  program: 'pip-audit',
  args: [...PIP_AUDIT, '{osv}'],
  code: { 'requirements.txt': 'shop-images==1.0\nshop-fonts==1.0\n' },
  found: [
    { title: /PYSEC-2099-1 in shop-images 1\.0/, severity: 'medium', file: 'requirements.txt' },
    { title: /PYSEC-2099-2 in shop-fonts 1\.0/, severity: 'medium', file: 'requirements.txt' },
  ],
  clean: { 'requirements.txt': 'shop-images==2.0\n' },
  edited: { 'requirements.txt': 'shop-mails==1.0\nshop-fonts==1.0\n' },
  added: { title: /PYSEC-2099-1 in shop-mails/, severity: 'medium', file: 'requirements.txt' },
  failures: [
    {
      of: 'a missing file',
      args: ['-r', 'no.txt', '--no-deps', '--disable-pip', '-f', 'json'],
      message: /pip-audit wrote no report .*1\)/,
    },
    {
      of: 'a file that cannot be parsed',
      args: [...PIP_AUDIT, '{osv}'],
      files: { 'requirements.txt': 'shop-images==\n' },
      message: /pip-audit wrote no report .*1\)/,
    },
    {
      of: 'an invalid option',
      args: [...PIP_AUDIT, '{osv}', '--nonsense'],
      message: /pip-audit wrote no report .*2\)/,
    },
    {
      of: 'a service that cannot be reached',
      args: [...PIP_AUDIT, NOWHERE],
      message: /pip-audit wrote no report .*1\)/,
    },
    {
      of: 'a service that fails',
      args: [...PIP_AUDIT, '{osv}fails'],
      message: /pip-audit wrote no report .*1\)/,
    },
    {
      of: 'dependencies that are skipped',
      files: { 'requirements.txt': 'https://packages.example.org/shop.tar.gz\n' },
      message: /was not checked: could not deduce package version/,
    },
    {
      of: 'a dependency that is skipped',
      files: { 'requirements.txt': 'shop-images==1.0\nhttps://packages.example.org/shop.tar.gz\n' },
      findings: 1,
      message: /was not checked: could not deduce package version/,
    },
    {
      of: 'a dependency that is skipped, with --strict',
      args: [...PIP_AUDIT, '{osv}', '--strict'],
      files: { 'requirements.txt': 'shop-images==1.0\nhttps://packages.example.org/shop.tar.gz\n' },
      message: /pip-audit wrote no report .*1\)/,
    },
  ],
};

const MODULES = ['images', 'mails', 'fonts'];

const go = (...calls: string[]) => `package main

import (
${calls.map((name) => `\t"example.org/${name}"\n`).join('')})

func main() {
${calls.map((name) => `\t${name}.Open()\n`).join('')}}
`;

const CODE = {
  'go.mod': [
    'module example.org/shop',
    '',
    'go 1.22',
    '',
    'require (',
    ...MODULES.map((name) => `\texample.org/${name} v1.0.0`),
    ')',
    '',
  ].join('\n'),
  'vendor/modules.txt': MODULES.map(
    (name) => `# example.org/${name} v1.0.0\n## explicit; go 1.22\nexample.org/${name}\n`,
  ).join(''),
  ...Object.fromEntries(
    MODULES.map((name) => [
      `vendor/example.org/${name}/${name}.go`,
      `package ${name}\n\nfunc Open() {}\n\nfunc Close() {}\n`,
    ]),
  ),
};

const advisory = (id: string, modules: readonly string[]) => ({
  schema_version: '1.3.1',
  id,
  modified: '2030-01-01T00:00:00Z',
  published: '2030-01-01T00:00:00Z',
  aliases: [id.replace('GO', 'CVE')],
  summary: 'Crafted input is read out of bounds',
  details: 'Crafted input is read out of bounds.',
  affected: modules.map((name) => ({
    package: { name: `example.org/${name}`, ecosystem: 'Go' },
    ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.1.0' }] }],
    ecosystem_specific: { imports: [{ path: `example.org/${name}`, symbols: ['Open'] }] },
  })),
  references: [],
  database_specific: { url: `https://pkg.go.dev/vuln/${id}` },
});

const ADVISORIES = [advisory('GO-2099-0001', ['images', 'mails']), advisory('GO-2099-0002', ['fonts'])];
const MODIFIED = '2030-01-01T00:00:00Z';

/** The database of govulncheck in files (https://go.dev/doc/security/vuln/database). */
const DATABASE = Object.fromEntries(
  Object.entries({
    'index/db.json': { modified: MODIFIED },
    'index/modules.json': ADVISORIES.flatMap(({ id, affected }) =>
      affected.map(({ package: { name: path } }) => ({
        path,
        vulns: [{ id, modified: MODIFIED, fixed: '1.1.0' }],
      })),
    ),
    'index/vulns.json': ADVISORIES.map(({ id, aliases }) => ({ id, modified: MODIFIED, aliases })),
    ...Object.fromEntries(ADVISORIES.map((each) => [`ID/${each.id}.json`, each])),
  }).map(([path, content]) => [`.database/${path}`, JSON.stringify(content)]),
);

const govulncheckWith = (database: string, format: string, ...target: string[]) => [
  ...['-db', database, '-format', format],
  ...target,
];

export const govulncheck: RealScanner = {
  program: 'govulncheck',
  needs: ['go'],
  args: govulncheckWith('file://{workspace}/.database', 'json', './...'),
  code: { ...CODE, ...DATABASE, 'main.go': go('images', 'fonts') },
  found: [
    { title: /GO-2099-0001 in example\.org\/images .*called/, severity: 'high', file: 'main.go', line: 9 },
    { title: /GO-2099-0002 in example\.org\/fonts .*called/, severity: 'high', file: 'main.go', line: 10 },
  ],
  clean: {
    'go.mod': 'module example.org/shop\n\ngo 1.22\n',
    'vendor/modules.txt': '',
    'main.go': 'package main\n\nfunc main() {}\n',
  },
  edited: { 'main.go': go('mails', 'fonts') },
  added: {
    title: /GO-2099-0001 in example\.org\/mails .*called/,
    severity: 'high',
    file: 'main.go',
    line: 9,
  },
  others: [
    {
      name: 'SARIF',
      args: govulncheckWith('file://{workspace}/.database', 'sarif', './...'),
      places: [{ severity: 'high', file: 'go.mod', line: 1 }],
    },
  ],
  failures: [
    {
      of: 'a missing database',
      args: govulncheckWith('file:///no/database', 'json', './...'),
      message: /govulncheck/,
    },
    {
      of: 'a missing database, in SARIF',
      args: govulncheckWith('file:///no/database', 'sarif', './...'),
      message: /govulncheck/,
    },
    {
      of: 'a database that cannot be reached',
      args: govulncheckWith(NOWHERE, 'json', './...'),
      message: /govulncheck/,
    },
    {
      of: 'code that does not compile',
      files: { 'main.go': go('images').replace('Open', 'Missing') },
      message: /govulncheck/,
    },
    {
      of: 'a missing target',
      args: govulncheckWith('file://{workspace}/.database', 'json', './no/...'),
      message: /govulncheck/,
    },
    {
      of: 'an invalid option',
      args: ['-nonsense', ...govulncheckWith('file://{workspace}/.database', 'json', './...')],
      message: /govulncheck wrote no report .*2\)/,
    },
  ],
};
