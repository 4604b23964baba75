import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRefs } from '../../agent/workspace/refs.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'refs-'));

/** The event of GitHub, as a file. */
function eventOf(repository: string) {
  const path = join(folder(), 'event.json');
  const event = {
    repository: { default_branch: 'trunk' },
    pull_request: { head: { repo: { full_name: repository } } },
  };
  writeFileSync(path, JSON.stringify(event));
  return path;
}

const github = { GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'acme/web' };
const githubPull = { GITHUB_HEAD_REF: 'fix', GITHUB_BASE_REF: 'main', GITHUB_REF_NAME: '12/merge' };
const gitlab = { GITLAB_CI: 'true', CI_DEFAULT_BRANCH: 'trunk' };
const gitlabPull = {
  CI_COMMIT_REF_NAME: 'fix',
  CI_MERGE_REQUEST_IID: '12',
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'fix',
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
  CI_MERGE_REQUEST_PROJECT_ID: '1',
};
const jenkins = { JENKINS_URL: 'https://ci' };
const azure = { TF_BUILD: 'True' };
const azurePull = {
  SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/fix',
  SYSTEM_PULLREQUEST_TARGETBRANCH: 'refs/heads/main',
  SYSTEM_PULLREQUEST_PULLREQUESTID: '12',
};
const buildkite = { BUILDKITE: 'true', BUILDKITE_PIPELINE_DEFAULT_BRANCH: 'trunk', BUILDKITE_BRANCH: 'fix' };
const buildkitePull = {
  BUILDKITE_PULL_REQUEST: '12',
  BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main',
  BUILDKITE_REPO: 'git@github.com:acme/web.git',
};

describe('the branches of a scan', () => {
  it.each<[string, Record<string, string>, (string | undefined)[]]>([
    ['GitHub', { ...github, GITHUB_REF_NAME: 'fix' }, ['fix', undefined, undefined]],
    ['GitHub pull request', { ...github, ...githubPull, event: 'acme/web' }, ['fix', 'main', 'trunk']],
    ['GitHub fork', { ...github, ...githubPull, event: 'other/web' }, ['pull/12', 'main', 'trunk']],
    ['GitLab', { ...gitlab, CI_COMMIT_REF_NAME: 'fix' }, ['fix', undefined, 'trunk']],
    [
      'GitLab merge request',
      { ...gitlab, ...gitlabPull, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '1' },
      ['fix', 'main', 'trunk'],
    ],
    [
      'GitLab fork',
      { ...gitlab, ...gitlabPull, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '2' },
      ['pull/12', 'main', 'trunk'],
    ],
    ['Jenkins', { ...jenkins, GIT_BRANCH: 'origin/feature/a' }, ['feature/a', undefined, undefined]],
    [
      'Jenkins default branch',
      { ...jenkins, BRANCH_NAME: 'trunk', BRANCH_IS_PRIMARY: 'true' },
      ['trunk', undefined, 'trunk'],
    ],
    [
      'Jenkins pull request',
      { ...jenkins, BRANCH_NAME: 'PR-12', CHANGE_BRANCH: 'fix', CHANGE_TARGET: 'main', CHANGE_ID: '12' },
      ['fix', 'main', undefined],
    ],
    [
      'Jenkins fork',
      { ...jenkins, CHANGE_BRANCH: 'main', CHANGE_TARGET: 'main', CHANGE_ID: '12', CHANGE_FORK: 'other' },
      ['pull/12', 'main', undefined],
    ],
    ['Azure', { ...azure, BUILD_SOURCEBRANCH: 'refs/heads/feature/a' }, ['feature/a', undefined, undefined]],
    [
      'Azure pull request',
      { ...azure, ...azurePull, BUILD_SOURCEBRANCH: 'refs/pull/12/merge' },
      ['fix', 'main', undefined],
    ],
    [
      'Azure fork',
      { ...azure, ...azurePull, SYSTEM_PULLREQUEST_ISFORK: 'True' },
      ['pull/12', 'main', undefined],
    ],
    [
      'Bitbucket',
      { BITBUCKET_BUILD_NUMBER: '7', BITBUCKET_BRANCH: 'fix', BITBUCKET_PR_DESTINATION_BRANCH: 'main' },
      ['fix', 'main', undefined],
    ],
    ['Buildkite', { ...buildkite, BUILDKITE_PULL_REQUEST: 'false' }, ['fix', undefined, 'trunk']],
    [
      'Buildkite pull request',
      { ...buildkite, ...buildkitePull, BUILDKITE_PULL_REQUEST_REPO: 'git://github.com/acme/web.git' },
      ['fix', 'main', 'trunk'],
    ],
    [
      'Buildkite fork',
      { ...buildkite, ...buildkitePull, BUILDKITE_PULL_REQUEST_REPO: 'git://github.com/other/web.git' },
      ['pull/12', 'main', 'trunk'],
    ],
    ['no CI system', { CI_DEFAULT_BRANCH: 'trunk' }, [undefined, undefined, undefined]],
  ])('are known from %s', async (_, { event, ...env }, expected) => {
    const refs = await readRefs(folder(), event ? { ...env, GITHUB_EVENT_PATH: eventOf(event) } : env);
    expect([refs.ref, refs.base_ref, refs.default_ref]).toEqual(expected);
  });

  it('are known from git', async () => {
    const directory = folder();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: directory });
    git('init', '--quiet', '--initial-branch=feature/a');
    expect(await readRefs(directory, {})).toMatchObject({ ref: 'feature/a', default_ref: undefined });
    git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    expect(await readRefs(directory, {})).toMatchObject({ ref: 'feature/a', default_ref: 'trunk' });
    expect((await readRefs(directory, { GITLAB_CI: 'true', CI_COMMIT_REF_NAME: 'b' })).ref).toBe('b');
  });
});
