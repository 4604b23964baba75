import * as text from '#strings/tokens/ci.tsx';

/** The fields of the form, and the claims that they become. */
export interface System {
  /** Unset: the user enters it. */
  issuer?: string;
  issuerHint?: string;
  /** The issuer has the id of an organization in its address. */
  hasOrganization?: true;
  id: { claim: string; label: string; hint: string };
  ref: { claim: string; hint: string };
  hasEnvironment?: true;
}

const repository = { claim: 'repository_id', label: text.repositoryId, hint: text.whereRepositoryId };
const project = { claim: 'project_id', label: text.projectId, hint: text.whereGitlabId };
const fullRef = { claim: 'ref', hint: text.fullRef };
const branch = { claim: 'ref', hint: text.branch };

export const SYSTEMS = {
  github: {
    issuer: 'https://token.actions.githubusercontent.com',
    id: repository,
    ref: fullRef,
    hasEnvironment: true,
  },
  gitlab: { issuer: 'https://gitlab.com', id: project, ref: branch, hasEnvironment: true },
  buildkite: {
    issuer: 'https://agent.buildkite.com',
    id: { claim: 'pipeline_id', label: text.pipelineId, hint: text.wherePipelineId },
    ref: { claim: 'build_branch', hint: text.branch },
  },
  circleci: {
    issuer: 'https://oidc.circleci.com/org/',
    hasOrganization: true,
    id: { claim: 'oidc.circleci.com/project-id', label: text.projectId, hint: text.whereCircleId },
    ref: { claim: 'oidc.circleci.com/vcs-ref', hint: text.fullRef },
  },
  github_server: { issuerHint: text.issuerOfGithub, id: repository, ref: fullRef, hasEnvironment: true },
  gitlab_server: { issuerHint: text.issuerOfGitlab, id: project, ref: branch, hasEnvironment: true },
} satisfies Record<keyof typeof text.names, System>;

export type SystemName = keyof typeof SYSTEMS;
