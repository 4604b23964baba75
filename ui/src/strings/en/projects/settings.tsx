import type { ReactNode } from 'react';
import { plural } from '../language.ts';

export const projectNotFound = 'Project not found';
export const projectSettings = 'Project settings';
export const roleDenied = 'Your role does not allow this';
export const whoMayChange = (roles: string) => `Only ${roles} can change the settings of a project.`;

export const slugStays = 'Shown in lists. The slug stays when the name changes.';

export const whatSlugIs =
  'The name of the project in addresses and for agents. After a change, the former slug keeps working until another project gets it.';
export const slugTaken = 'Another project has this slug';
export const slugCharacters =
  'Use 2 to 50 lowercase letters, digits and hyphens, without a hyphen at the start or end';

export const linksToCode = 'Links to the code';
export const whereLinksLead =
  'Findings link to their file and line at the scanned commit, or else to the branch of the scan or the default branch.';
export const linksSaved = 'The links are saved.';
export const repository = 'Repository';
export const whichRepository =
  'An address on GitHub, GitLab, Bitbucket or Azure DevOps. For other hosts, a template with {path} and, if needed, {commit}, {branch} and {line}.';
export const exampleOfRepository = 'https://github.com/acme/web-shop';
export const noLinks = 'Without a repository, findings have no links to the code.';
export const example = (link: ReactNode) => <>Example: {link}</>;

export const branches = 'Branches';
export const whatBranchesDo =
  'Regressed and missing findings, due dates, dashboards and metrics follow the default branch and the tracked branches. A finding that only other branches have is proposed.';
export const branchesSaved = 'The branches are saved.';
export const defaultBranch = 'Default branch';
export const whatDefaultBranchIs =
  'The first scan that names it sets it. If it is empty, all branches count as the default branch.';
export const exampleOfBranch = 'main';
export const trackedRefs = 'Tracked branches';
export const whatTrackedRefsAre =
  'Further branches and tags, one pattern per line, at most 20. * matches any characters: release/* matches release/2.0 and release/2.0/fixes.';
export const exampleOfPatterns = 'release/*';

export const closeMissing = 'Close missing findings';
export const whatClosingDoes =
  'Findings become fixed when completed scans of the same source, branch and target no longer report them. A finding that a scan reports again has regressed.';
export const settingSaved = 'The setting is saved.';
export const never = 'Never';
export const afterScans = (count: number) =>
  plural(count, { one: 'After # scan', other: 'After # scans in a row' });

export const general = 'General';
export const codeAndBranches = 'Code and branches';
