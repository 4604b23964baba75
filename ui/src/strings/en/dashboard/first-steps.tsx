import type { ReactNode } from 'react';
import { number, plural } from '../language.ts';

export const done = ' (done)';

export const createProject = 'Create a project';
export const onlyRolesCreateProjects = (roles: string) =>
  `Only ${roles} can create projects. Ask one of them to create a project.`;
export const whatProjectIs = 'A project is anything you scan, such as a repository, a service or an app.';
export const projectName = 'Project name';
export const exampleProject = 'Web shop';
export const enterName = 'Enter a name';
export const create = 'Create project';
export const project = 'Project';

export const uploadReport = 'Upload a report';
export const uploadToSkip = 'If you have the report of a scanner, upload it here and skip steps 2 and 3.';
export const eachReportIsScan = 'Each report becomes a scan of the project.';
export const uploadsGoTo = (project: ReactNode) => <>Uploads go to {project}.</>;

export const createToken = 'Create a token';
export const tokenName = 'First steps';
export const forProject = (project: ReactNode) => <>For {project}</>;
export const whatTokenIs = (days: number) =>
  `Agents authenticate with a token. It is valid for this project only, expires after ${number(days)} days and can be revoked at any time.`;
export const createNewToken = 'Create token';
export const createAnotherToken = 'Create another token';

export const runAgent = 'Run svc-agent';
export const yourToken = '<your token>';
export const tokenShownOnce = 'Your token is shown only once';
export const replaceToken = (placeholder: string) =>
  `Replace ${placeholder} below with your token. If you no longer have it, create another one.`;
export const copyTokenNow =
  'The new token is in the commands below. It is shown only once. Copy it before you leave this page.';
export const downloadAgent =
  'Download svc-agent, which needs only Node.js 20.19 or newer, and set the destination:';
export const copySetupCommands = 'Copy the setup commands';
export const runScanner = 'Then run a scanner in the same shell, or send an existing report:';
export const copyCommand = 'Copy the command';
export const npmAudit = 'npm audit';
export const aboutNpmAudit =
  'Finds known vulnerabilities of dependencies. Run it in the directory of a Node.js project.';
export const semgrep = 'Semgrep';
export const aboutSemgrep =
  'Finds flaws in code. Run it in the directory of a repository. Semgrep must be installed.';
export const trivy = 'Trivy';
export const aboutTrivy =
  'Finds vulnerable dependencies of any language. Run it in the directory of a repository. Trivy must be installed.';
export const existingReport = 'Existing report';
export const aboutReport = (formats: number) =>
  `Sends a report in one of ${number(formats)} formats, such as SARIF. svc-agent detects the format.`;

export const seeFirstFinding = 'See the first finding';
export const firstFindingReceived = 'First finding received';
export const scanHasNoFindings = (scan: ReactNode) => (
  <>The scan {scan} is complete and has no findings. Scan another project or use another scanner.</>
);
export const scanFailed = (scan: ReactNode) => (
  <>The scan {scan} failed. Open it to see the reason, then run it again.</>
);
export const scanHasStopped = (scan: ReactNode) => <>The scan {scan} has stopped. Run it again.</>;
export const scanIsRunning = (scan: ReactNode) => <>{scan} is running. No findings so far.</>;
export const waiting = 'Waiting for the first finding. It appears here automatically.';
export const findingsReceived = (count: number) =>
  plural(count, {
    one: '# finding received. Open it to see the details and to set its status.',
    other: '# findings received. Open one to see the details and to set its status.',
  });
/** @param page makes the words a link to the page of the project */
export const agentCanSend = (page: (words: string) => ReactNode) => (
  <>svc-agent can send reports after each scan. The {page('page of the project')} has the commands.</>
);
export const openFindings = 'Open findings';
export const openDashboard = 'Open dashboard';
