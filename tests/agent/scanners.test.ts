import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace, runAgent } from '../support/agent/agent.ts';
import { createOrg, must, type TestOrg } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { limit } from '../support/run/limits.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

/*
 * Runs real scanners on real code, end to end. A scanner is skipped if it is neither on PATH nor in the directory
 * SVC_TEST_SCANNERS.
 */

const PATH = [process.env.SVC_TEST_SCANNERS, process.env.PATH].filter(Boolean).join(':');

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { env: { PATH } });
    return true;
  } catch {
    return false;
  }
}

const SCANNER_TIMEOUT_MS = limit(120_000);

const PYTHON = `import hashlib
import subprocess

def digest(data):
    return hashlib.md5(data).hexdigest()

def run(command):
    return subprocess.call(command, shell=True)
`;

const GO = `package main

import (
	"crypto/md5"
	"fmt"
	"os/exec"
	"os"
)

func main() {
	fmt.Printf("%x\\n", md5.Sum([]byte("data")))
	_ = exec.Command("sh", "-c", os.Args[1]).Run()
}
`;

const RULES = `rules:
  - id: shell-true
    languages: [python]
    severity: ERROR
    message: A shell runs what is passed.
    metadata:
      cwe: "CWE-78: OS Command Injection"
    pattern: subprocess.call(..., shell=True)
  - id: weak-hash
    languages: [python]
    severity: WARNING
    message: MD5 is broken.
    metadata:
      cwe: ["CWE-328: Use of Weak Hash"]
    pattern: hashlib.md5(...)
`;

let database: TestDatabase;
let server: RunningServer;
let org: TestOrg;
let workspace: string;

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ DATABASE_URL: database.url, JWT_SECRET: 'a secret for tests only' });
});

afterAll(async () => {
  await stopServers();
  await database.drop();
});

beforeEach(async () => {
  org = await createOrg(server.api);
  workspace = createWorkspace();
  mkdirSync(join(workspace, 'src'));
  writeFileSync(join(workspace, 'src/shop.py'), PYTHON);
  writeFileSync(join(workspace, 'main.go'), GO);
  writeFileSync(join(workspace, 'go.mod'), 'module example.com/shop\n\ngo 1.20\n');
  writeFileSync(join(workspace, 'rules.yml'), RULES);
});

const scan = (...command: string[]) =>
  runAgent(['run', '--json', '--', ...command], {
    cwd: workspace,
    env: {
      PATH,
      HOME: process.env.HOME,
      SVC_BASE_URL: server.url,
      SVC_API_KEY: org.token,
      SVC_PROJECT_ID: org.projectId,
      SVC_ORG: org.slug,
      SEMGREP_SEND_METRICS: 'off',
      SEMGREP_ENABLE_VERSION_CHECK: '0',
    },
  });

describe.each([
  {
    program: 'bandit',
    args: ['-r', 'src', '-f', 'json', '-q'],
    found: [
      { title: /^B324\b.*MD5/, severity: 'high', cwe: 'CWE-327', file: 'src/shop.py', line: 5 },
      { title: /^B602\b.*shell=True/, severity: 'high', cwe: 'CWE-78', file: 'src/shop.py', line: 8 },
    ],
  },
  {
    program: 'semgrep',
    args: ['scan', '--config', 'rules.yml', '--json', '--quiet', '--metrics', 'off', 'src'],
    found: [
      { title: /shell/, severity: 'high', cwe: 'CWE-78', file: 'src/shop.py', line: 8 },
      { title: /MD5|weak-hash/, severity: 'medium', cwe: 'CWE-328', file: 'src/shop.py', line: 5 },
    ],
  },
  {
    program: 'gosec',
    args: ['-quiet', '-fmt', 'sarif', './...'],
    found: [
      { title: /G401|weak/i, cwe: 'CWE-328', file: 'main.go', line: 11 },
      { title: /G204|subprocess/i, cwe: 'CWE-78', file: 'main.go', line: 12 },
    ],
  },
])('$program', ({ program, args, found }) => {
  it.skipIf(!isInstalled(program))(
    'pushes its findings, and a second run adds none',
    async () => {
      const first = await scan(program, ...args);
      expect(first.err).toBe('');
      const summary = JSON.parse(first.out);
      expect(summary).toMatchObject({ seen_again: 0, refused: 0, not_delivered: 0 });
      const findings = must(await server.api.get('/findings', org.asOwner));
      expect(findings).toHaveLength(summary.new);
      for (const { title, ...fields } of found) {
        expect(findings).toContainEqual(
          expect.objectContaining({ title: expect.stringMatching(title), ...fields }),
        );
      }

      // Shift the lines. Every finding must be recognized.
      writeFileSync(join(workspace, 'src/shop.py'), `# One more line.\n${PYTHON}`);
      writeFileSync(
        join(workspace, 'main.go'),
        GO.replace('package main', '// One more line.\npackage main'),
      );
      const again = JSON.parse((await scan(program, ...args)).out);
      expect(again).toMatchObject({ new: 0, seen_again: summary.new });
    },
    SCANNER_TIMEOUT_MS,
  );
});
