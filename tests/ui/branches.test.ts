import { expect, it } from 'vitest';
import { branchValues, changesOf } from '../../ui/src/projects/settings/branches.ts';

it.each([
  ['', []],
  ['release/*', ['release/*']],
  ['  release/* \r\n\n\tv?\nrelease/*\n', ['release/*', 'v?']],
])('the lines %j are the patterns %j', (lines, patterns) => {
  expect(changesOf({ default_ref: '', tracked_refs: lines }).tracked_refs).toEqual(patterns);
});

it('an empty default branch removes it', () => {
  expect(changesOf({ default_ref: '  ', tracked_refs: '' }).default_ref).toBeNull();
  expect(changesOf({ default_ref: ' main ', tracked_refs: '' }).default_ref).toBe('main');
});

it('branches are shown as they are saved', () => {
  const saved = { default_ref: 'main', tracked_refs: ['release/*', 'with space'] };
  expect(changesOf(branchValues(saved))).toEqual(saved);
  expect(branchValues({})).toEqual({ default_ref: '', tracked_refs: '' });
});
