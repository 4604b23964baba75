import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDirectory } from '../../db/embedded/directory.ts';

it('creates a directory and its parents once', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'directory-')), 'a/b/c');
  expect([await createDirectory(path), await createDirectory(path)]).toEqual([true, false]);
  expect(statSync(path).isDirectory()).toBe(true);
});

it('fails if a parent is a file, or cannot contain directories', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'directory-')), 'file');
  writeFileSync(file, '');
  await expect(createDirectory(join(file, 'a'))).rejects.toThrow('ENOTDIR');
  await expect(createDirectory(file)).rejects.toThrow('EEXIST');
  if (existsSync('/proc/self')) await expect(createDirectory('/proc/none/a')).rejects.toThrow('ENOENT');
});
