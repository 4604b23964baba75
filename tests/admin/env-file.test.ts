import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEnvFile } from '../../lib/admin/env-file.ts';
import { admin, spawnAdmin } from '../support/admin/command.ts';
import { createDatabase } from '../support/database/database.ts';
import { afterTest } from '../support/run/suite.ts';

describe('--env-file reads what systemd reads', () => {
  it.each([
    ['A=1\n\n# B=2\n; C=3\nno line\nD = 4 \n', { A: '1', D: '4' }],
    // A shell would run parts of these.
    ['A=Findings <findings@example.com>', { A: 'Findings <findings@example.com>' }],
    [
      'A=postgres://u:p#$(x)&y@h/d?sslmode=verify-full',
      { A: 'postgres://u:p#$(x)&y@h/d?sslmode=verify-full' },
    ],
    ['A="one two # \\"three\\" \\n"', { A: 'one two # "three" \\n' }],
    ["A=' a \\ b '", { A: ' a \\ b ' }],
    ['A=one\\\n  two\nB=1', { A: 'one  two', B: '1' }],
    ['A="first\nsecond"\nB=1', { A: 'first\nsecond', B: '1' }],
    ['A=it\'s "so"', { A: 'it\'s "so"' }],
    ['A=\nB=""', { A: '', B: '' }],
    ['A=1\r\nA=2\r\n', { A: '2' }],
    ['A="open', { A: 'open' }],
  ])('%j', (text, settings) => {
    expect(parseEnvFile(text)).toEqual(settings);
  });
});

describe('a command with --env-file', () => {
  const dirWith = async (text: string) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-env-file-'));
    afterTest(() => rm(dir, { recursive: true }));
    await writeFile(join(dir, 'service.env'), text);
    return dir;
  };

  it('uses its settings, and those of the environment first', async () => {
    const database = await createDatabase();
    afterTest(database.drop);
    const dir = await dirWith(
      `DATABASE_URL=${database.url}\nSVC_MAIL_FROM=Findings <findings@example.com>\n`,
    );
    const list = ['flags', 'list', '--env-file', join(dir, 'service.env')];
    // An empty variable counts as unset.
    expect((await admin('', list)).code).toBe(0);
    expect((await admin('postgres://u@127.0.0.1:9/x', list)).err).toContain('ECONNREFUSED');
    // Another service's.
    await writeFile(join(dir, '.env'), 'SVC_PORT=x\n');
    const { ended } = spawnAdmin('', ['--env-file', 'service.env', 'flags', 'list'], {}, dir);
    expect((await ended).code).toBe(0);
  });

  it('ends with one line when it cannot be read', async () => {
    const dir = await dirWith('');
    expect(await admin('', ['flags', 'list', '--env-file', join(dir, 'none')])).toEqual({
      code: 2,
      out: '',
      err: `--env-file: ${join(dir, 'none')} cannot be read (ENOENT)\n`,
    });
  });
});
