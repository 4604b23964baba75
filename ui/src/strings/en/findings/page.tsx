import type { ReactNode } from 'react';
import { number, plural, TAG } from '../language.ts';

export const copyLink = 'Copy the link to this finding';
export const print = 'Print';
export const notFound = 'Finding not found';
export const finding = 'Finding';
export const loadingFinding = 'Loading the finding';
export const howToFix = 'How to fix';
export const description = 'Description';
export const evidence = 'Evidence';
/** The name of the code for screen readers. */
export const evidenceCode = 'evidence';
export const copyFileAndLine = 'Copy file and line';
export const opensNewWindow = '(opens in a new window)';

export const allFindings = 'All findings';
export const backToList = 'Back to the list';
export const findingsInList = 'Findings in the list';
export const noLongerInList = 'No longer in the list';
export const positionOf = (position: number, { total, isCapped }: { total: number; isCapped: boolean }) =>
  isCapped ? `${number(position)} of more than ${number(total)}` : `${number(position)} of ${number(total)}`;
export const previous = 'Previous';
export const next = 'Next';

export const regressed = (when: ReactNode) =>
  when === undefined ? (
    'Regressed: seen again after it was fixed'
  ) : (
    <>Regressed {when}: seen again after it was fixed</>
  );
export const proposed = 'Proposed: neither the default branch nor a tracked branch has it yet';
export const overdueSince = (date: ReactNode) => <>Overdue since {date}</>;
export const riskAcceptedUntil = (date: ReactNode) => <>Risk accepted until {date}</>;

export const triage = 'Triage';
export const reason = 'Reason';
export const reasonAndTime = (reason: string, time: ReactNode) => (
  <>
    {reason}, {time}
  </>
);
export const assignee = 'Assignee';
export const nobody = 'Nobody';
export const loadingName = '…';
export const you = 'you';
export const assignToMe = 'Assign to me';
export const unassignMe = 'Unassign me';
export const due = 'Due';
export const noDate = 'No date';
export const acceptedUntil = 'Accepted until';
export const editOrAddNote = 'Edit or add a note…';
export const createRule = 'Create a rule for findings like this…';

export const details = 'Details';
export const cvss = 'CVSS';
export const copyVector = 'Copy the vector';
export const weakness = 'Weakness';
export const findingsWithCwe = 'Findings with this CWE';
export const vulnerability = 'Vulnerability';
export const file = 'File';
export const findingsInFile = 'Findings in this file';
export const rule = 'Rule';
export const findingsOfRule = 'Findings of this rule';
export const source = 'Source';
export const firstSeen = 'First seen';
export const lastSeen = 'Last seen';
export const seen = 'Seen';
export const timesSeen = (count: number) => plural(count, { one: 'Once', other: '# times' });
export const identifiers = 'Identifiers';
export const id = 'ID';
export const copyId = 'Copy the ID';
export const fingerprint = 'Fingerprint';
export const copyFingerprint = 'Copy the fingerprint';

export const branches = 'Branches';
export const whenProposed =
  'Dashboards, metrics and due dates leave this finding out until a scan of the default branch or a tracked branch reports it.';
export const withoutRef = 'Scans without a branch';
export const findingsOnRef = 'Findings that are present there';
export const defaultRef = 'default';
export const trackedRef = 'tracked';
export const openScan = 'Open the scan';
export const presentOn = (seen: ReactNode) => <>Present, last seen {seen}</>;
export const missingOn = (since: ReactNode, seen: ReactNode) => (
  <>
    Missing since {since}, last seen {seen}
  </>
);

export const exploits = 'Exploits';
export const runIsolated = 'This code exploits a vulnerability. Run it in an isolated test environment only.';
export const download = (file: string) => `Download ${file}`;
export const downloadAsText = 'Download as text';
const kilobytes = new Intl.NumberFormat(TAG, { maximumFractionDigits: 1 });
export const size = (bytes: number) =>
  bytes < 1024 ? plural(bytes, { one: '# byte', other: '# bytes' }) : `${kilobytes.format(bytes / 1024)} KB`;
export const exploitFacts = (file: ReactNode, language: string, size: string, time: ReactNode) => (
  <>
    {file} · <bdi>{language}</bdi> · {size} · {time}
  </>
);

export const similarFindings = 'Similar findings';
export const whySimilar = { cve: 'Same CVE', rule: 'Same rule and source', file: 'Same file' };

export const theService = 'The service';
export const changedThis = (names: string) => (
  <>
    <bdi>{names}</bdi> changed this finding
  </>
);
export const currentContent = (changes: readonly string[]) =>
  `${changes.join('. ')}. The page shows the current content.`;
export const newStatus = (status: string) => `Status: ${status}`;
export const newSeverity = (severity: string) => `Severity: ${severity}`;
export const otherChanges = {
  missing: 'No longer reported by a scan',
  matched: 'Counted as the same by a previous fingerprint',
  moved: 'Its code has moved',
  regressed: 'Regressed: a scan has seen it again',
  merged: 'Reported on the default branch or a tracked branch for the first time',
  assignee: 'Another assignee',
  due_at: 'Another due date',
  accepted_until: 'Another end of the accepted risk',
  comment: 'New comment',
  exploit: 'New exploit',
};
export const anotherChange = 'Other changes';

export const keyboardShortcuts = 'Keyboard shortcuts';
export const nextInList = 'Next finding in the list';
export const previousInList = 'Previous finding in the list';
export const editFinding = 'Edit with note, assignee or date';
export const writeComment = 'Write a comment';
export const returnToList = 'Return to the list';
export const showHelp = 'Show this help';
export const escapeKey = 'Esc';
