import { plural } from '../language.ts';

export const search = 'Search';
export const whatToSearch = 'Search pages, views, actions and findings';
export const searching = 'Searching';
export const results = 'Results';
export const resultCount = (count: number) => plural(count, { one: '# result', other: '# results' });
export const searchFailed = 'The search failed.';
export const noResults = 'No results.';
export const noResultsYet = 'No results. Enter at least two letters to search findings.';

export const pages = 'Pages';
export const views = 'Views';
export const actions = 'Actions';
export const members = 'Members';
export const settings = 'Settings';
export const projects = 'Projects';
export const organizations = 'Organizations';
export const findings = 'Findings';
export const newProject = 'Create a project';
export const inviteMember = 'Invite a member';
export const newRule = 'Create a rule';
export const apiDocumentation = 'Open the API documentation';
export const assignedTo = (member: string) => `Assigned to ${member}`;
export const profile = 'Profile';
export const mfaAndSecurity = 'MFA and security';
export const switchTo = (org: string) => `Switch to ${org}`;
export const searchFindings = (words: string) => `Search findings for “${words}”`;
