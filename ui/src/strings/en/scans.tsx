import type { ReactNode } from 'react';
import { number, plural } from './language.ts';

export const scans = 'Scans';
export const whatScansAre = 'Scans that agents have reported.';
export const recentlyDeleted = 'Recently deleted';
export const project = 'Project';
export const allProjects = 'All projects';
export const noProject = 'No matching project';
export const status = 'Status';
export const all = 'All';
export const running = 'Running';
export const stale = 'Stale';
export const completed = 'Completed';
export const completedWithWarnings = 'Completed with warnings';
export const failed = 'Failed';
export const whyStale =
  'It has been running for more than 2 hours. The agent has probably stopped without ending the scan.';
export const count = (scans: number) => plural(scans, { one: '# scan', other: '# scans' });
export const noSuchPage = 'This page does not exist';
export const noMatchingScans = 'No matching scans';
export const showAllScans = 'Show all scans';
export const noScans = 'No scans yet';
export const howToScan = (steps: (label: string) => ReactNode) => (
  <>Agents report scans. See {steps('first steps')} to run one.</>
);
export const loading = 'Loading';

export const scan = 'Scan';
export const target = 'Target';
export const targetParts = {
  base_ref: 'Merges into',
  default_ref: 'Default branch',
  category: 'Category',
};
export const scanners = 'Scanners';
export const notSpecified = 'Not specified';
export const atRevision = (revision: ReactNode) => <>at {revision}</>;
export const findings = 'Findings';
export const started = 'Started';
export const startedAt = (time: string, ago: ReactNode) => (
  <>
    {time} ({ago})
  </>
);
export const duration = 'Duration';
export const soFar = (value: ReactNode, note: (words: string) => ReactNode = (words) => words) => (
  <>
    {value} {note('so far')}
  </>
);

export const scanNotFound = 'Scan not found';
export const allScans = 'All scans';
export const agentStopped = 'The agent may have stopped';
export const hasWarnings = 'The scan completed with warnings';
export const hasFailed = 'The scan failed';
export const kind = 'Kind';
export const id = 'ID';
export const showAll = (findings: number) => `Show all ${number(findings)}`;
export const openList = 'Open the list';
export const noFindings = 'No findings';
export const noFindingsSoFar = 'No findings so far';

/** Below the number of findings. */
export const findingsSoFar = (findings: number) =>
  plural(findings, {
    one: 'finding so far. Counts by severity follow when the scan ends.',
    other: 'findings so far. Counts by severity follow when the scan ends.',
  });
/** Below the number of findings. */
export const findingsBelow = (findings: number) => plural(findings, { one: 'Finding', other: 'Findings' });
export const needAttention = (findings: number) =>
  plural(findings, { one: '# needs attention', other: '# need attention' });
export const regressed = (findings: number) => plural(findings, { one: '# regressed', other: '# regressed' });

export const gate = 'Gate';
export const failsOn = 'Fails on';
export const andAbove = (severity: string) => `${severity} and above`;
export const passes = () => (
  <>
    <strong>Passed</strong>: no new findings
  </>
);
export const fails = (count: number, bySeverity: string) => (
  <>
    <strong>Failed</strong>: {plural(count, { one: '# new finding', other: '# new findings' })} ({bySeverity})
  </>
);
export const failsOnBase = (count: number, base: ReactNode, bySeverity: string) => (
  <>
    <strong>Failed</strong>: {plural(count, { one: '# finding is', other: '# findings are' })} not on {base} (
    {bySeverity})
  </>
);
export const comparedWith = (base: ReactNode, scan: ReactNode) => (
  <>
    Compared with {base} (latest scan: {scan}).
  </>
);
export const comparedWithScan = (scan: ReactNode) => (
  <>Compared with the latest scan of another commit: {scan}.</>
);
export const noBase = 'No earlier scan to compare with, so all findings of the scan count as new.';
export const baseNotScanned = (base: ReactNode) => (
  <>No completed scan of {base} to compare with, so all findings of the scan count as new.</>
);
export const whatPasses = "Findings with the status False positive or Won't fix do not count.";
export const mostSevere = (findings: number) => `Only the ${number(findings)} most severe are listed.`;

export const changes = 'Changes';
export const changeNames = { new: 'New', seen_again: 'Seen again', gone: 'Gone' };
export const whereFound = {
  new: 'only in this scan',
  seen_again: 'in both scans',
  gone: 'only in the other scan',
};
/** While the scan runs. */
export const notSeenYet = 'Not seen yet';
export const whereFoundSoFar = { ...whereFound, gone: 'only in the other scan so far' };
export const noEarlierScan = (kind: string) =>
  `This project has no earlier completed scan of this kind (${kind}) by the same scanner with the same branch and target. Choose another scan to compare with.`;
export const compareWith = 'Compare with';
export const defaultScan = 'Default: the latest earlier scan of the same kind, scanner, branch and target.';
export const chooseScan = 'Choose a scan of this project';
export const scanChoice = (scan: string, about: string, time: string) => `${scan} · ${about} · ${time}`;
export const comparableScans = 'Same kind, scanner, branch and target';
export const otherScans = 'Other scans of this project';
export const compareWithPrevious = 'Compare with the previous scan';
export const noMatchingScan = 'No matching scan';
export const openOtherScan = 'Open the other scan';
