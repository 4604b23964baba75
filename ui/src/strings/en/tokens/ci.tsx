import type { ReactNode } from 'react';

export const ciWithoutKeys = 'CI without keys';
export const howItWorks =
  'Jobs of these repositories and pipelines send findings without a token: their CI system proves who they are.';
export const addSystem = 'Add CI system';
export const noSystems = 'No CI system yet';
export const whyAdd = 'Add your repository or pipeline, and no job needs a secret.';
export const systems = 'CI systems';
export const system = 'CI system';
export const conditions = 'Only jobs with';
export const created = 'Created';
export const lastUsed = 'Last used';
export const never = 'Never';
export const actions = 'Actions';
export const lastUsedAt = (time: ReactNode) => <>Last used: {time}</>;

export const names = {
  github: 'GitHub Actions',
  gitlab: 'GitLab',
  buildkite: 'Buildkite',
  circleci: 'CircleCI',
  github_server: 'GitHub Enterprise Server',
  gitlab_server: 'GitLab, self-managed',
};
export const issuer = 'Address of the issuer';
export const issuerOfGithub = 'https:// and your host, followed by /_services/token.';
export const issuerOfGitlab = 'The address of your GitLab, such as https://gitlab.example.com.';
export const organizationId = 'Organization ID';
export const whereOrganizationId = 'In CircleCI, on the overview of the settings of your organization.';
export const repositoryId = 'Repository ID';
export const whereRepositoryId =
  'A number. Run: gh api repos/OWNER/REPOSITORY --jq .id. It stays the same when the repository is renamed.';
export const projectId = 'Project ID';
export const whereGitlabId = 'A number. In GitLab, in the menu on the page of the project.';
export const whereCircleId = 'In CircleCI, on the overview of the settings of the project.';
export const pipelineId = 'Pipeline ID';
export const wherePipelineId = 'The variable BUILDKITE_PIPELINE_ID of its jobs.';
export const ref = 'Branch or tag (optional)';
export const fullRef = 'In full, such as refs/heads/main. If empty, jobs of all branches may send findings.';
export const branch = 'Such as main. If empty, jobs of all branches may send findings.';
export const environment = 'Environment (optional)';
export const whatEnvironment = 'If set, only jobs of this environment may send findings.';
export const enterId = 'Enter the ID';
export const enterIssuer = 'Enter the address';
export const add = 'Add';

export const deleteName = (name: string) => `Delete ${name}`;
export const askDelete = (name: ReactNode) => <>Delete “{name}”?</>;
export const whatDeleteDoes =
  'Its jobs can no longer send findings, not even those that are running. Findings stay.';
export const remove = 'Delete';
export const wasDeleted = (name: string) => `“${name}” was deleted.`;
