import { readFileSync } from 'node:fs';
import { property } from '../../lib/importers/read/values.ts';
import { readBranches } from './git.ts';

/** The branches of a scan, as the fields of its target. */
export interface Refs {
  /** The scanned branch or tag. */
  ref?: string | undefined;
  /** The branch that the pull request goes into. */
  base_ref?: string | undefined;
  default_ref?: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The branches of a build, and whether it is one of a fork. */
interface Build extends Refs {
  /** The number of the pull request, if it comes from a fork: its branch may have the name of a branch here. */
  fork?: string | false | undefined;
}

/** The CI systems, by a variable that each of them sets. */
const SYSTEMS: Readonly<Record<string, (env: Env) => Build>> = {
  GITHUB_ACTIONS(env) {
    const event = readJson(env.GITHUB_EVENT_PATH);
    const repository = property(event, 'pull_request', 'head', 'repo', 'full_name');
    return {
      ref: env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME,
      base_ref: env.GITHUB_BASE_REF,
      default_ref: textOf(property(event, 'repository', 'default_branch')),
      fork: env.GITHUB_HEAD_REF && repository !== env.GITHUB_REPOSITORY && env.GITHUB_REF_NAME?.split('/')[0],
    };
  },
  GITLAB_CI: (env) => ({
    ref: env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME || env.CI_COMMIT_REF_NAME,
    base_ref: env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME,
    default_ref: env.CI_DEFAULT_BRANCH,
    fork:
      env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID !== env.CI_MERGE_REQUEST_PROJECT_ID && env.CI_MERGE_REQUEST_IID,
  }),
  JENKINS_URL: (env) => ({
    ref: env.CHANGE_BRANCH || env.BRANCH_NAME || env.GIT_BRANCH?.replace(/^origin\//, ''),
    base_ref: env.CHANGE_TARGET,
    default_ref: env.BRANCH_IS_PRIMARY === 'true' ? env.BRANCH_NAME : undefined,
    fork: env.CHANGE_FORK && env.CHANGE_ID,
  }),
  TF_BUILD: (env) => ({
    ref: shortRef(env.SYSTEM_PULLREQUEST_SOURCEBRANCH || env.BUILD_SOURCEBRANCH),
    base_ref: shortRef(env.SYSTEM_PULLREQUEST_TARGETBRANCH),
    fork: /^true$/i.test(env.SYSTEM_PULLREQUEST_ISFORK ?? '') && env.SYSTEM_PULLREQUEST_PULLREQUESTID,
  }),
  // It does not build pull requests from forks.
  BITBUCKET_BUILD_NUMBER: (env) => ({
    ref: env.BITBUCKET_BRANCH || env.BITBUCKET_TAG,
    base_ref: env.BITBUCKET_PR_DESTINATION_BRANCH,
  }),
  BUILDKITE: (env) => ({
    ref: env.BUILDKITE_TAG || env.BUILDKITE_BRANCH,
    base_ref: env.BUILDKITE_PULL_REQUEST_BASE_BRANCH,
    default_ref: env.BUILDKITE_PIPELINE_DEFAULT_BRANCH,
    fork:
      Boolean(env.BUILDKITE_PULL_REQUEST_REPO) &&
      repositoryOf(env.BUILDKITE_PULL_REQUEST_REPO) !== repositoryOf(env.BUILDKITE_REPO) &&
      env.BUILDKITE_PULL_REQUEST,
  }),
};

/** The branches of a workspace: from the variables of the CI system, otherwise from git. */
export async function readRefs(directory: string, env: Env): Promise<Refs> {
  const [, system] = Object.entries(SYSTEMS).find(([variable]) => env[variable]) ?? [];
  const { fork, ...found } = system?.(env) ?? {};
  const { ref, base_ref, default_ref } = fork ? { ...found, ref: `pull/${fork}` } : found;
  const git = ref && default_ref ? {} : await readBranches(directory);
  return {
    ref: ref || git.ref,
    base_ref: base_ref || undefined,
    default_ref: default_ref || git.default_ref,
  };
}

const shortRef = (ref: string | undefined) => ref?.replace(/^refs\/(?:heads|tags)\//, '');

/** The path of a repository, from one of its addresses: `git://github.com/acme/web.git` and `git@github.com:acme/web`. */
const repositoryOf = (url = '') =>
  url
    .replace(/^.*?(?:\/\/|@)(?:[^@/]*@)?/, '')
    .replace(':', '/')
    .replace(/\.git$/, '')
    .toLowerCase();

function readJson(path: string | undefined): unknown {
  try {
    return path && JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
