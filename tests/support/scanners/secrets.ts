import type { RealScanner } from './scanner.ts';

/** Invented keys, in parts so that no scanner of this repository finds them. */
const KEYS = [
  ['AKIA', 'Z3MQ7RWT5YVN2XCB'],
  ['AKIA', 'QW6KD3HF7JSP4LTG'],
  ['AKIA', 'X5NV2BRT7MQY4WZC'],
].map((parts) => parts.join(''));

const settings = (...keys: (string | undefined)[]) =>
  ['[storage]', ...keys.map((key, index) => `access_key_${index} = "${key}"`), ''].join('\n');

const CODE = { 'src/settings.ini': settings(KEYS[0], KEYS[1]) };
const CLEAN = { 'src/settings.ini': settings('from the environment') };
/** Another key at the same place. */
const EDITED = { 'src/settings.ini': settings(KEYS[2], KEYS[1]) };

const GITLEAKS = ['dir', 'src', '-f', 'json', '-r', 'leaks.json'];
const LEAKS = { report: 'leaks.json' };

export const gitleaks: RealScanner = {
  program: 'gitleaks',
  args: GITLEAKS,
  ...LEAKS,
  code: CODE,
  found: [
    { title: /aws-access-token|AWS/, severity: 'high', file: 'src/settings.ini', line: 2 },
    { title: /aws-access-token|AWS/, severity: 'high', file: 'src/settings.ini', line: 3 },
  ],
  clean: CLEAN,
  edited: EDITED,
  added: { title: /aws-access-token|AWS/, severity: 'high', file: 'src/settings.ini', line: 2 },
  others: [
    { name: 'SARIF', args: ['dir', 'src', '-f', 'sarif', '-r', 'leaks.sarif'], report: 'leaks.sarif' },
  ],
  failures: [
    {
      of: 'a missing configuration',
      args: [...GITLEAKS, '-c', 'no.toml'],
      ...LEAKS,
      message: /gitleaks wrote no report .*1\)/,
    },
    {
      of: 'a configuration that cannot be parsed',
      args: [...GITLEAKS, '-c', 'bad.toml'],
      ...LEAKS,
      files: { 'bad.toml': '[[rules]\n' },
      message: /gitleaks wrote no report .*1\)/,
    },
    {
      of: 'a rule that cannot be parsed',
      args: [...GITLEAKS, '-c', 'bad.toml'],
      ...LEAKS,
      files: { 'bad.toml': `[[rules]]\nid = "broken"\nregex = '''('''\n` },
      message: /gitleaks (?:wrote no report|failed)/,
    },
    {
      of: 'a missing target',
      args: ['dir', 'no', '-f', 'json', '-r', 'leaks.json'],
      ...LEAKS,
      message: /gitleaks wrote no report .*1\)/,
    },
    {
      of: 'an invalid option',
      args: [...GITLEAKS, '--nonsense'],
      ...LEAKS,
      message: /gitleaks wrote no report .*126\)/,
    },
    {
      of: 'a directory that is no repository',
      args: ['git', '.', '-f', 'json', '-r', 'leaks.json'],
      ...LEAKS,
      message: /gitleaks failed: not a git repository/,
    },
  ],
};

const DETECT_SECRETS = ['scan', '--all-files', 'src'];

export const detectSecrets: RealScanner = {
  program: 'detect-secrets',
  args: DETECT_SECRETS,
  code: CODE,
  found: [
    { title: /AWS Access Key/, severity: 'high', file: 'src/settings.ini', line: 2 },
    { title: /AWS Access Key/, severity: 'high', file: 'src/settings.ini', line: 3 },
  ],
  clean: CLEAN,
  edited: EDITED,
  added: { title: /AWS Access Key/, severity: 'high', file: 'src/settings.ini', line: 2 },
  failures: [
    {
      of: 'a missing baseline',
      args: [...DETECT_SECRETS, '--baseline', 'no.json'],
      message: /detect-secrets wrote no report .*2\)/,
    },
    {
      of: 'a missing plugin',
      args: [...DETECT_SECRETS, '-p', 'no.py'],
      message: /detect-secrets wrote no report .*2\)/,
    },
    {
      of: 'an invalid option',
      args: [...DETECT_SECRETS, '--nonsense'],
      message: /detect-secrets wrote no report .*2\)/,
    },
    {
      of: 'a directory that is no repository',
      args: ['scan'],
      message: /detect-secrets failed: not a git repository/,
    },
    { of: 'a missing target', args: ['scan', '--all-files', 'no'], message: /no does not exist/ },
  ],
};
