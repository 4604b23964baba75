import type { RealScanner } from './scanner.ts';

const PYTHON = `import hashlib
import subprocess

def digest(data):
    return hashlib.md5(data).hexdigest()

def run(command):
    return subprocess.call(command, shell=True)
`;

/** Another command on the same line. */
const EDITED_PYTHON = PYTHON.replace('run(command)', 'restart(service)').replace(
  'call(command,',
  'call("systemctl restart " + service,',
);

const CLEAN_PYTHON = 'def total(prices):\n    return sum(prices)\n';

const BROKEN_PYTHON =
  '# subprocess.call(x, shell=True)\nimport subprocess\n\ndef total(prices):\n    return sum(prices]\n';

const BANDIT = ['-q', '-r', 'src', '-f', 'json'];

export const bandit: RealScanner = {
  program: 'bandit',
  args: BANDIT,
  code: { 'src/shop.py': PYTHON },
  found: [
    { title: /^B602\b.*shell=True/, severity: 'high', file: 'src/shop.py', line: 8 },
    { title: /^B324\b.*MD5/, severity: 'high', file: 'src/shop.py', line: 5 },
    { title: /^B404\b/, severity: 'low', file: 'src/shop.py', line: 2 },
  ],
  clean: { 'src/shop.py': CLEAN_PYTHON },
  edited: { 'src/shop.py': EDITED_PYTHON },
  added: { title: /^B602\b/, severity: 'high', file: 'src/shop.py', line: 8 },
  failures: [
    {
      of: 'a missing configuration',
      args: [...BANDIT, '-c', 'no.yml'],
      message: /bandit wrote no report .*2\)/,
    },
    { of: 'an unknown test', args: [...BANDIT, '-t', 'B999'], message: /bandit wrote no report .*2\)/ },
    { of: 'an invalid option', args: [...BANDIT, '--nonsense'], message: /bandit wrote no report .*2\)/ },
    {
      of: 'a missing target',
      args: ['-q', '-r', 'no', '-f', 'json'],
      message: /no was not checked: No such file/,
    },
    {
      of: 'a file with a syntax error',
      files: { 'src/broken.py': BROKEN_PYTHON },
      findings: 3,
      message: /src\/broken\.py was not checked: syntax error/,
    },
  ],
};

const RULES = `rules:
  - id: shell-true
    languages: [python]
    severity: ERROR
    message: A shell runs the command.
    metadata:
      cwe: "CWE-78: OS Command Injection"
    pattern: subprocess.call(..., shell=True)
  - id: weak-hash
    languages: [python]
    severity: WARNING
    message: MD5 is broken.
    pattern: hashlib.md5(...)
`;

const BROKEN_RULE = `${RULES}  - id: broken
    languages: [python]
    severity: ERROR
    message: The pattern is no Python.
    pattern: "foo((("
`;

const semgrepWith = (config: string, ...target: string[]) => [
  ...['scan', '--config', config, '--json', '--quiet', '--metrics', 'off', '--disable-version-check'],
  ...target,
];

const SEMGREP = semgrepWith('rules.yml', 'src');

export const semgrep: RealScanner = {
  program: 'semgrep',
  env: { SEMGREP_SEND_METRICS: 'off', SEMGREP_ENABLE_VERSION_CHECK: '0' },
  args: SEMGREP,
  code: { 'src/shop.py': PYTHON, 'rules.yml': RULES },
  found: [
    { title: /^shell-true: A shell runs the command/, severity: 'high', file: 'src/shop.py', line: 8 },
    { title: /^weak-hash: MD5 is broken/, severity: 'medium', file: 'src/shop.py', line: 5 },
  ],
  clean: { 'src/shop.py': CLEAN_PYTHON },
  edited: { 'src/shop.py': EDITED_PYTHON },
  added: { title: /^shell-true/, severity: 'high', file: 'src/shop.py', line: 8 },
  others: [{ name: 'SARIF', args: SEMGREP.map((arg) => (arg === '--json' ? '--sarif' : arg)) }],
  remarks: [
    {
      of: 'a file with a syntax error',
      files: { 'src/broken.py': BROKEN_PYTHON },
      message: /Syntax error at line src\/broken\.py:5/,
    },
  ],
  failures: [
    {
      of: 'a missing configuration',
      args: semgrepWith('no.yml', 'src'),
      message: /semgrep failed \(exit code 7\)[\s\S]*no\.yml/,
    },
    {
      of: 'a configuration that is no YAML',
      args: semgrepWith('bad.yml', 'src'),
      files: { 'bad.yml': 'rules:\n  - id: [\n' },
      message: /semgrep failed \(exit code 7\)[\s\S]*bad\.yml/,
    },
    {
      of: 'a rule that cannot be parsed',
      files: { 'rules.yml': BROKEN_RULE },
      findings: 2,
      message: /semgrep failed \(exit code 2\)[\s\S]*broken/,
    },
    { of: 'a missing target', args: semgrepWith('rules.yml', 'no'), message: /Invalid scanning root/ },
    { of: 'an invalid option', args: [...SEMGREP, '--nonsense'], message: /semgrep wrote no report/ },
    {
      of: 'a registry that cannot be reached',
      args: semgrepWith('auto', 'src'),
      message: /semgrep wrote no report .*2\)/,
    },
    {
      of: 'a file with a syntax error, with --strict',
      args: [...SEMGREP, '--strict'],
      files: { 'src/broken.py': BROKEN_PYTHON },
      findings: 2,
      message: /semgrep failed \(exit code 3\)/,
    },
  ],
};

const GO = `package main

import (
	"crypto/md5"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	fmt.Printf("%x\\n", md5.Sum([]byte("data")))
	_ = exec.Command("sh", "-c", os.Args[1]).Run()
}
`;

const EDITED_GO = GO.replace('exec.Command("sh", "-c", os.Args[1])', 'exec.Command("rm", "-r", os.Args[2])');

const CLEAN_GO = 'package main\n\nfunc main() { println("shop") }\n';

const DOES_NOT_COMPILE = GO.replace('os.Args[1]', 'unknown');

const MODULE = 'module example.org/shop\n\ngo 1.22\n';

const gosecWith = (format: string, ...args: string[]) => [
  ...['-include', 'G204,G401,G501', '-fmt', format],
  ...args,
];

export const gosec: RealScanner = {
  program: 'gosec',
  needs: ['go'],
  args: gosecWith('json', './...'),
  code: { 'main.go': GO, 'go.mod': MODULE },
  found: [
    { title: /^G204/, severity: 'medium', file: 'main.go', line: 12 },
    { title: /^G401/, severity: 'medium', file: 'main.go', line: 11 },
    { title: /^G501/, severity: 'medium', file: 'main.go', line: 4 },
  ],
  clean: { 'main.go': CLEAN_GO },
  edited: { 'main.go': EDITED_GO },
  added: { title: /^G204/, severity: 'medium', file: 'main.go', line: 12 },
  others: [
    { name: 'SARIF', args: gosecWith('sarif', './...') },
    { name: 'a file', args: gosecWith('json', '-out', 'gosec.json', './...'), report: 'gosec.json' },
  ],
  failures: [
    {
      of: 'code that does not compile',
      files: { 'main.go': DOES_NOT_COMPILE },
      findings: 2,
      message: /main\.go:6 was not checked: "os" imported and not used/,
    },
    {
      of: 'code that does not compile, in SARIF',
      args: ['-fmt', 'sarif', './...'],
      files: { 'main.go': DOES_NOT_COMPILE },
      findings: 2,
      message: /^gosec failed: some of the code does not compile/,
    },
    {
      of: 'code that does not compile and has no findings, in SARIF',
      args: ['-fmt', 'sarif', './...'],
      files: { 'main.go': 'package main\n\nfunc main() { unknown() }\n' },
      message: /^gosec failed/,
    },
    {
      of: 'a module that is not available',
      files: { 'other.go': 'package main\n\nimport _ "example.org/other"\n' },
      findings: 3,
      message: /other\.go:3 was not checked: could not import example\.org\/other/,
    },
    { of: 'a missing target', args: gosecWith('json', './no/...'), message: /gosec wrote no report .*1\)/ },
    {
      of: 'an unknown rule',
      args: ['-fmt', 'json', '-include', 'G9999', './...'],
      message: /gosec wrote no report .*1\)/,
    },
    {
      of: 'an invalid option',
      args: gosecWith('json', '-nonsense', './...'),
      message: /gosec wrote no report/,
    },
    {
      of: 'a missing configuration',
      args: gosecWith('json', '-conf', 'no.json', './...'),
      message: /gosec wrote no report .*1\)/,
    },
  ],
};

const RULES_OF_ESLINT = `export default [
  { files: ['**/*.js'], rules: { 'no-eval': 'error', 'no-unused-vars': 'warn' } },
];
`;

const ESLINT = ['-f', 'json', 'src'];

export const eslint: RealScanner = {
  program: 'eslint',
  args: ESLINT,
  code: {
    'eslint.config.mjs': RULES_OF_ESLINT,
    'src/shop.js': 'const unused = 1;\n\nexport const price = (text) => eval(text);\n',
  },
  found: [
    { title: /^no-eval/, severity: 'high', file: 'src/shop.js', line: 3 },
    { title: /^no-unused-vars/, severity: 'medium', file: 'src/shop.js', line: 1 },
  ],
  clean: { 'src/shop.js': 'export const price = (text) => Number(text);\n' },
  edited: { 'src/shop.js': 'const unused = 1;\n\nexport const tax = (code, rate) => eval(code + rate);\n' },
  added: { title: /^no-eval/, severity: 'high', file: 'src/shop.js', line: 3 },
  others: [{ name: 'SARIF', args: ['-f', '{sarif-formatter}', 'src'] }],
  failures: [
    {
      of: 'a missing configuration',
      args: ['-c', 'no.mjs', ...ESLINT],
      message: /eslint wrote no report .*2\)/,
    },
    {
      of: 'a rule of a plugin that is not installed',
      files: { 'eslint.config.mjs': RULES_OF_ESLINT.replace('no-eval', 'shop/no-eval') },
      message: /eslint wrote no report .*2\)/,
    },
    { of: 'a missing target', args: ['-f', 'json', 'no'], message: /eslint wrote no report .*2\)/ },
    { of: 'an invalid option', args: [...ESLINT, '--nonsense'], message: /eslint wrote no report .*2\)/ },
    {
      of: 'a file with a syntax error',
      files: { 'src/broken.js': 'export const = 1;\n' },
      findings: 2,
      message: /src\/broken\.js was not checked: Parsing error/,
    },
    {
      of: 'a file with a syntax error, in SARIF',
      args: ['-f', '{sarif-formatter}', 'src'],
      files: { 'src/broken.js': 'export const = 1;\n' },
      findings: 2,
      message: /Parsing error/,
    },
  ],
};
