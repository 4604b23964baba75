import type { ReactNode } from 'react';
import { number } from './language.ts';

export const projects = 'Projects';
export const whatProjectIs =
  'A project is anything you scan, such as a repository, a service or an app. Findings, scans and tokens belong to a project.';
export const newProject = 'New project';
export const noProjects = 'No projects yet';
export const createForEach = 'Create a project for each repository, service or app that you scan.';
export const whoMayCreate = (roles: string) => `Only ${roles} can create projects.`;
export const project = 'Project';
export const projectNotFound = 'Project not found';
export const needsAttention = 'Needs attention';
export const regressed = 'Regressed';
export const lastScan = 'Last scan';
export const never = 'Never';
export const created = 'Created';
export const createdAt = (time: ReactNode) => <>Created {time}</>;
export const id = 'ID';
export const copyIdOf = (project: string) => `Copy the ID of ${project}`;
export const copyId = 'Copy the ID';
export const copySlug = 'Copy the slug';
export const loading = 'Loading';

export const findings = 'Findings';
export const scans = 'Scans';
export const settings = 'Settings';
export const allFindings = 'All findings';
export const count = (total: number) => number(total);
export const uploadReports = 'Upload reports';
export const reportBecomesScan = 'Each report becomes a scan of this project.';
export const apiTokens = 'API tokens';
export const whatTokensAre =
  'Each token is valid for this project only. Owners choose in the settings who may create one.';
export const newToken = 'New token';

export const name = 'Name';
export const exampleOfName = 'Web shop';
export const enterName = 'Enter a name';
export const slug = 'Slug';
export const whatSlugIs =
  'Identifies the project in addresses and agent settings. If empty, it is generated from the name. You can change it later.';
export const slugCharacters =
  'Use 2 to 50 lowercase letters, digits and hyphens, without a hyphen at the start or end';
export const slugTaken = 'Another project has this slug';
export const projectCreated = (project: string) => `“${project}” was created.`;
export const createProject = 'Create project';

export const sendFindings = 'Send findings';
export const whatAgentReads = (docs: (label: string) => ReactNode) => (
  <>
    svc-agent reads the reports of Semgrep, CodeQL and other SARIF producers, Trivy, Grype, npm audit,
    OSV-Scanner, pip-audit, Bandit, Gitleaks, ZAP, Nuclei, Snyk, govulncheck and Checkov. It needs Node.js
    20.19 or newer. Your own tools can use the {docs('API')}.
  </>
);
export const environment = 'Environment';
export const shell = 'Shell';
export const github = 'GitHub Actions';
export const gitlab = 'GitLab CI';
export const downloadAgent = '1. Download the agent';
export const setDestination = '2. Set the destination. Put a token of this project into the last line';
export const runScanner = '3. Run a scanner, or send a report file';
export const copyCommand = 'Copy the command';
export const copySettings = 'Copy the settings';
export const copyRun = 'Copy the command that runs a scanner';
export const copyReport = 'Copy the command that reports a file';
export const trustGithub = 'Add the repository above, under “CI without keys”. No secret is needed.';
export const trustGitlab = 'Add the project above, under “CI without keys”. No secret is needed.';
export const addConfiguration = 'Add this configuration, and replace the scanner with yours.';
export const copyConfiguration = 'Copy the configuration';
