import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findGitRoot, readCommit, readRenames } from '../../agent/workspace/git.ts';
import { createSourceReader } from '../../agent/workspace/source.ts';
import { createRenameIndex, openWorkspace } from '../../agent/workspace/workspace.ts';
import { importReport } from '../../lib/importers/index.ts';
import { createWorkspace } from '../support/agent/agent.ts';
import { limit } from '../support/run/limits.ts';

/** A repository that may be hostile. */
let root: string;

beforeEach(() => {
  root = createWorkspace();
});

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, ...args], {
    env: { PATH: process.env.PATH, HOME: root, ...IDENTITY },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  });

function commitAll(): void {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '-m', 'A change');
}

const CODE = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join('');

describe('the lines of a file', () => {
  it('are read relative to the directory, and elsewhere in the repository', () => {
    write('packages/api/a.py', 'one\r\ntwo\n');
    write('lib/b.py', 'three');
    const linesOf = createSourceReader(join(root, 'packages/api'), root);
    expect(linesOf('a.py')).toEqual(['one', 'two', '']);
    expect(linesOf('../../lib/b.py')).toEqual(['three']);
    expect(linesOf('none.py')).toBeUndefined();
    expect(linesOf('.')).toBeUndefined();
  });

  it('are never those of a file outside, whatever the report or a link names', () => {
    const outside = createWorkspace();
    writeFileSync(join(outside, 'id_rsa'), 'a secret');
    mkdirSync(join(root, 'src'));
    symlinkSync(join(outside, 'id_rsa'), join(root, 'src/link.py'));
    symlinkSync(outside, join(root, 'src/folder'));
    const linesOf = createSourceReader(root, root);
    for (const path of ['src/link.py', 'src/folder/id_rsa', `../${outside.split('/').pop()}/id_rsa`, '..'])
      expect(linesOf(path)).toBeUndefined();
    expect(linesOf(join('../'.repeat(20), outside, 'id_rsa'))).toBeUndefined();
  });

  it('are read through a link inside the repository, and through a workspace that is a link', () => {
    write('real/a.py', 'one');
    symlinkSync('real', join(root, 'alias'));
    const link = join(createWorkspace(), 'link');
    symlinkSync(root, link);
    expect(createSourceReader(link, link)('alias/a.py')).toEqual(['one']);
  });

  it('are not read from pipes, devices and huge files', () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    write('huge.js', '');
    truncateSync(join(root, 'huge.js'), 5 * 1_048_576);
    const linesOf = createSourceReader(root, root);
    expect(linesOf('pipe')).toBeUndefined();
    expect(linesOf('huge.js')).toBeUndefined();
    expect(createSourceReader('/dev', '/')('null')).toBeUndefined();
  });

  it('are read once, also if the file is gone afterwards', () => {
    write('a.py', 'one');
    const linesOf = createSourceReader(root, root);
    expect(linesOf('a.py')).toEqual(['one']);
    expect(linesOf('b.py')).toBeUndefined();
    rmSync(join(root, 'a.py'));
    write('b.py', 'late');
    expect([linesOf('a.py'), linesOf('b.py')]).toEqual([['one'], undefined]);
  });

  it('take at most 32 MiB: the least recently used file is read again', () => {
    const linesOf = createSourceReader(root, root);
    for (let i = 0; i < 10; i++) write(`${i}.txt`, 'x'.repeat(4 * 1_048_576));
    for (let i = 0; i < 10; i++) expect(linesOf(`${i}.txt`)).toHaveLength(1);
    rmSync(join(root, '0.txt'));
    rmSync(join(root, '9.txt'));
    expect(linesOf('9.txt')).toHaveLength(1);
    expect(linesOf('0.txt')).toBeUndefined();
  });
});

describe('the path prefix', () => {
  const prefixOf = async (directory: string, pathPrefix?: string) =>
    (await openWorkspace({ directory: join(root, directory), pathPrefix })).pathPrefix;

  it('is the path of the workspace in its repository', async () => {
    write('packages/api/a.py', '');
    expect(await prefixOf('packages/api')).toBe('');
    git('init', '--quiet');
    expect(await prefixOf('packages/api')).toBe('packages/api');
    expect(await prefixOf('')).toBe('');
  });

  it('counts worktrees and submodules, which have a file .git', async () => {
    write('sub/src/a.py', '');
    write('sub/.git', 'gitdir: ../.git/modules/sub\n');
    git('init', '--quiet');
    expect(await prefixOf('sub/src')).toBe('src');
    write('sub/.git', 'not a repository\n');
    expect(await prefixOf('sub/src')).toBe('sub/src');
    rmSync(join(root, 'sub/.git'));
    mkdirSync(join(root, 'sub/.git'));
    expect(await prefixOf('sub/src')).toBe('sub/src');
    expect(findGitRoot(join(root, 'none'))).toBeUndefined();
  });

  it.each([
    ['services/shop/', 'services/shop'],
    ['./services//shop', 'services/shop'],
    ['services\\shop', 'services/shop'],
    ['', ''],
    ['.', ''],
  ])('%j of the command line is %j', async (given, prefix) => expect(await prefixOf('', given)).toBe(prefix));

  it.each(['../other', 'a/../../b', 'C:/x'])('%j is refused', async (given) => {
    await expect(prefixOf('', given)).rejects.toThrow('--path-prefix must be a path');
  });

  it('keeps files of two packages apart, and finds the lines of both', async () => {
    git('init', '--quiet');
    write('packages/api/a.py', 'def f():\n    run(1)\n');
    write('packages/web/a.py', 'def f():\n    run(1)\n');
    write('lib/b.py', 'def g():\n    run(2)\n');
    const imported = async (name: string, filename: string) => {
      const workspace = await openWorkspace({ directory: join(root, 'packages', name) });
      return importReport(banditReport(filename, 2), workspace).findings[0];
    };
    const [api, web] = await Promise.all([imported('api', 'a.py'), imported('web', './a.py')]);
    expect([api?.file, web?.file]).toEqual(['packages/api/a.py', 'packages/web/a.py']);
    expect(api?.fingerprint).not.toBe(web?.fingerprint);
    // A file outside of the package, as both name it.
    const shared = await Promise.all(['api', 'web'].map((name) => imported(name, join(root, 'lib/b.py'))));
    expect(shared.map((found) => found?.file)).toEqual(['lib/b.py', 'lib/b.py']);
    expect(shared[0]?.fingerprint).toBe(shared[1]?.fingerprint);
    write('lib/b.py', '# moved\ndef g():\n    run(2)\n');
    const workspace = await openWorkspace({ directory: join(root, 'packages/api') });
    const [moved] = importReport(banditReport(join(root, 'lib/b.py'), 3), workspace).findings;
    expect(moved?.fingerprint).toBe(shared[0]?.fingerprint);
  });
});

/** A report without source code, so that it must be read from the workspace. */
const banditReport = (filename: string, line: number) =>
  JSON.stringify({
    errors: [],
    generated_at: '2026-01-01T00:00:00Z',
    metrics: {},
    results: [
      { filename, line_number: line, issue_text: 'Bad.', issue_severity: 'HIGH', test_id: 'B602', code: '' },
    ],
  });

describe('a workspace with two names', () => {
  let link: string;
  let outside: string;
  beforeEach(() => {
    outside = createWorkspace();
    link = join(outside, 'link');
    symlinkSync(root, link);
    git('init', '--quiet');
    write('packages/api/a.py', 'def f():\n    run(1)\n');
  });

  const find = async (filename: string, directory: string) => {
    const workspace = await openWorkspace({ directory });
    const [finding] = importReport(banditReport(filename, 2), workspace).findings;
    // Earlier releases did not follow links.
    const [formerly] = importReport(banditReport(filename, 2), {
      ...workspace,
      resolve: () => undefined,
    }).findings;
    return { finding, formerly };
  };

  it.each(['', 'packages/api'])('gives a file one path and fingerprint by each of them: %j', async (path) => {
    symlinkSync(join(root, path), join(outside, 'direct'));
    const expected = await find(join(root, 'packages/api/a.py'), join(root, path));
    expect(expected.finding?.file).toBe('packages/api/a.py');
    for (const directory of [join(root, path), join(link, path), join(outside, 'direct')])
      for (const name of [join(root, 'packages/api'), join(link, 'packages/api')]) {
        const { finding, formerly } = await find(`${name}/a.py`, directory);
        expect(finding).toMatchObject({
          file: 'packages/api/a.py',
          fingerprint: expected.finding?.fingerprint,
        });
        // A decision about the finding of an earlier release stays.
        expect([finding?.fingerprint, ...(finding?.previous_fingerprints ?? [])]).toContain(
          formerly?.fingerprint,
        );
      }
  });

  it('keeps the path of a file that is gone, and of a link in the repository', async () => {
    symlinkSync('a.py', join(root, 'packages/api/same.py'));
    expect((await find(join(link, 'packages/api/gone.py'), root)).finding?.file).toBe('packages/api/gone.py');
    expect((await find(join(link, 'packages/api/same.py'), root)).finding?.file).toBe('packages/api/same.py');
  });

  it.each([
    ['a link out of the repository', () => join(link, 'out/id_rsa'), 'out/id_rsa'],
    ['a path out of a link', () => join(link, '../id_rsa'), undefined],
    ['a link to another directory', () => join(outside, 'other/id_rsa'), undefined],
    ['a link in a circle', () => join(outside, 'circle/id_rsa'), undefined],
    ['a name on the network', () => `/${join(link, 'packages/api/a.py')}`, undefined],
  ])('never reads a file outside: %s', async (_, name, file) => {
    writeFileSync(join(outside, 'id_rsa'), 'a secret\na secret\n');
    symlinkSync(outside, join(root, 'out'));
    symlinkSync(outside, join(outside, 'other'));
    symlinkSync('circle', join(outside, 'circle'));
    const { finding } = await find(name(), root);
    expect(finding?.file).toBe(file ?? name().replace(/^\/+/, ''));
    const { fingerprint } = (await find(name(), root)).finding ?? {};
    writeFileSync(join(outside, 'id_rsa'), 'another secret\nanother secret\n');
    expect((await find(name(), root)).finding?.fingerprint).toBe(fingerprint);
  });
});

describe('a renamed file', () => {
  beforeEach(() => git('init', '--quiet'));

  const formerPaths = async (path: string, options: { directory?: string; pathPrefix?: string } = {}) => {
    const { directory = '', pathPrefix } = options;
    return (await openWorkspace({ directory: join(root, directory), pathPrefix })).formerPathsOf?.(path);
  };

  it('is known by its earlier paths, also before the rename is committed', async () => {
    write('src/a.py', CODE);
    commitAll();
    git('mv', 'src/a.py', 'src/b.py');
    expect(await formerPaths('src/b.py')).toEqual(['src/a.py']);
    write('src/b.py', `${CODE}one more\n`);
    commitAll();
    git('mv', 'src/b.py', 'c.py');
    expect(await formerPaths('c.py')).toEqual(['src/b.py', 'src/a.py']);
    commitAll();
    expect(await formerPaths('c.py')).toEqual(['src/b.py', 'src/a.py']);
    expect(await formerPaths('other.py')).toEqual([]);
  });

  it('keeps its findings by previous fingerprints', async () => {
    write('src/a.py', `def f():\n    run(1)\n${CODE}`);
    commitAll();
    const find = async (file: string) =>
      importReport(banditReport(file, 2), await openWorkspace({ directory: root })).findings[0];
    const before = await find('src/a.py');
    git('mv', 'src/a.py', 'src/b.py');
    const after = await find('src/b.py');
    expect(after?.fingerprint).not.toBe(before?.fingerprint);
    expect(after?.previous_fingerprints).toContain(before?.fingerprint);
  });

  it('does not take the findings of a file that now has its earlier path', async () => {
    write('a.py', CODE);
    commitAll();
    git('mv', 'a.py', 'b.py');
    commitAll();
    write('a.py', 'something else');
    expect(await formerPaths('b.py')).toEqual([]);
  });

  it('has the prefix of the workspace, or the one of the command line', async () => {
    write('packages/api/a.py', CODE);
    commitAll();
    git('mv', 'packages/api/a.py', 'packages/api/b.py');
    const directory = 'packages/api';
    expect(await formerPaths('packages/api/b.py', { directory })).toEqual(['packages/api/a.py']);
    expect(await formerPaths('shop/b.py', { directory, pathPrefix: 'shop' })).toEqual(['shop/a.py']);
    expect(await formerPaths('b.py', { directory, pathPrefix: '' })).toEqual(['a.py']);
  });

  it('is unknown in a shallow clone and without commits, which is no error', async () => {
    expect(await readRenames(root)).toEqual([]);
    write('a.py', CODE);
    commitAll();
    git('mv', 'a.py', 'b.py');
    commitAll();
    const clone = join(createWorkspace(), 'clone');
    git('clone', '--quiet', '--depth', '1', `file://${root}`, clone);
    expect(await readRenames(clone)).toEqual([]);
  });

  it('has the checked-out commit, unless there is none', async () => {
    expect(await readCommit(root)).toBeUndefined();
    git('init', '--quiet');
    expect(await readCommit(root)).toBeUndefined();
    write('packages/api/a.py', CODE);
    commitAll();
    const commit = git('rev-parse', 'HEAD').trim();
    expect(await readCommit(join(root, 'packages/api'))).toBe(commit);
    const clone = join(createWorkspace(), 'clone');
    git('clone', '--quiet', '--depth', '1', `file://${root}`, clone);
    expect(await readCommit(clone)).toBe(commit);
    const { PATH } = process.env;
    process.env.PATH = createWorkspace();
    try {
      expect(await readCommit(root)).toBeUndefined();
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('is unknown without git', async () => {
    write('a.py', CODE);
    commitAll();
    git('mv', 'a.py', 'b.py');
    expect(await readRenames(root)).toHaveLength(1);
    const { PATH } = process.env;
    process.env.PATH = createWorkspace();
    try {
      expect(await readRenames(root)).toEqual([]);
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('that was renamed in a circle ends the search', () => {
    const renames = [
      { from: 'b', to: 'a' },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ];
    expect(createRenameIndex(renames, () => false)('a')).toEqual(['b']);
    const chain = Array.from({ length: 50 }, (_, i) => ({ from: `${i + 1}`, to: `${i}` }));
    expect(createRenameIndex(chain, () => false)('0')).toEqual(['1', '2', '3', '4', '5']);
  });
});

describe('the configuration of a hostile repository', () => {
  const { env } = process;
  const outside = { ...env };
  afterEach(() => {
    for (const name of Object.keys(env)) if (!(name in outside)) delete env[name];
    Object.assign(env, outside);
  });

  /** A program that leaves a trace if git runs it. */
  function createTrap(name = 'trap'): string {
    write(`bin/${name}`, `#!/bin/sh\necho "$0" >> ${join(root, 'trapped')}\ncat\n`);
    chmodSync(join(root, 'bin', name), 0o755);
    return join(root, 'bin', name);
  }

  /** Renames a file, and modifies it so that git has to compare contents. */
  function createRename(): void {
    write('a.py', CODE);
    write('.gitattributes', '*.py filter=trap diff=trap\n');
    commitAll();
    git('mv', 'a.py', 'b.py');
    write('b.py', `${CODE}more\n`);
    git('add', '--all');
    write('b.py', `${CODE}and more\n`);
  }

  const expectNoTrap = async () => {
    expect(await readRenames(root)).toEqual([{ from: 'a.py', to: 'b.py' }]);
    expect(await readCommit(root)).toMatch(/^[0-9a-f]{40}$/);
    expect(existsSync(join(root, 'trapped'))).toBe(false);
  };

  beforeEach(() => git('init', '--quiet'));

  it('runs no program', async () => {
    createRename();
    const trap = createTrap();
    for (const [name, value] of Object.entries({
      'core.fsmonitor': trap,
      'core.hooksPath': join(root, 'bin'),
      'core.pager': trap,
      'core.sshCommand': trap,
      'core.editor': trap,
      'diff.external': trap,
      'diff.trap.command': trap,
      'diff.trap.textconv': trap,
      'filter.trap.clean': trap,
      'filter.trap.smudge': trap,
      'filter.trap.process': trap,
      'pager.diff-tree': trap,
      'alias.rev-list': `!${trap}`,
      'gpg.program': trap,
      'log.showSignature': 'true',
      'credential.helper': trap,
    }))
      git('config', name, value);
    createTrap('post-index-change');
    createTrap('post-checkout');
    await expectNoTrap();
  });

  it('fetches no missing objects, for which git would run a program', async () => {
    createRename();
    commitAll();
    const blob = git('rev-parse', 'HEAD:b.py').trim();
    // Otherwise git reads the content from the work tree.
    rmSync(join(root, 'b.py'));
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    const trap = createTrap();
    git('config', 'core.repositoryFormatVersion', '1');
    git('config', 'extensions.partialClone', 'origin');
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'protocol.allow', 'always');
    git('config', 'protocol.ext.allow', 'always');
    git('config', 'protocol.file.allow', 'always');
    for (const url of [`ext::${trap}`, 'ssh://example.invalid/x', `file://${root}`]) {
      git('config', 'remote.origin.url', url);
      git('config', 'remote.origin.uploadpack', trap);
      git('config', 'core.sshCommand', trap);
      await readRenames(root);
      await readCommit(root);
      expect(existsSync(join(root, 'trapped'))).toBe(false);
    }
  });

  it('does not count: variables of the caller, and a program called git in the repository', async () => {
    createRename();
    const trap = createTrap();
    createTrap('git');
    Object.assign(env, {
      PATH: `${join(root, 'bin')}:.:${env.PATH}`,
      GIT_DIR: '/nonexistent',
      GIT_EXTERNAL_DIFF: trap,
      GIT_SSH_COMMAND: trap,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: trap,
      GIT_TRACE: join(root, 'trapped'),
    });
    await expectNoTrap();
  });

  it('does not count: a program called git in the repository, on PATH through a link elsewhere', async () => {
    createRename();
    createTrap('git');
    const elsewhere = createWorkspace();
    symlinkSync(root, join(elsewhere, 'checkout'));
    env.PATH = `${join(elsewhere, 'checkout/bin')}:${env.PATH}`;
    await expectNoTrap();
  });

  it('that makes git hang makes renames unknown', async () => {
    createRename();
    const config = join(root, '.git/config');
    renameSync(config, `${config}.old`);
    execFileSync('mkfifo', [config]);
    const started = Date.now();
    expect(await readRenames(root, 300)).toEqual([]);
    expect(Date.now() - started).toBeLessThan(limit(10_000));
  });
});
