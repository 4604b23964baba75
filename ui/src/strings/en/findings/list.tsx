import type { ReactNode } from 'react';
import { list, number, plural } from '../language.ts';

export const title = 'Findings';
export const loading = 'Loading…';
export const findings = (count: number) => plural(count, { one: '# finding', other: '# findings' });
export const findingsAndMore = (count: number) =>
  `More than ${findings(count)}, the first ${number(count)} are listed`;
export const findingsInGroups = (count: number, groups: number) =>
  `${findings(count)} in ${plural(groups, { one: '# group', other: '# groups' })}`;
export const keyboardShortcuts = 'Keyboard shortcuts';
export const keysThatAlwaysWork = 'The arrow keys, Enter, Space and Escape always work.';
export const onlyVisiblePrinted = (list: ReactNode) => (
  <>{list}. Only the visible findings are printed. “Export” › “Print report” prints all of them.</>
);
export const compactRows = 'Compact rows';
export const stillUpdating = 'Findings are still being updated';
export const ifYouLeave = 'If you leave, the remaining findings are not changed. Completed changes are kept.';
export const stopAndLeave = 'Stop and leave';
export const stay = 'Stay';

export const finding = 'Finding';
export const loadingRow = 'Loading';
export const selectVisible = 'Select visible findings';
export const select = (title: string) => `Select ${title}`;
export const statusWithChange = (
  status: string,
  { regressed, proposed = false }: { regressed: boolean; proposed?: boolean | undefined },
) => {
  if (regressed) return `Status: Regressed, was ${status.toLowerCase()}. Change`;
  return proposed ? `Status: ${status} Proposed. Change` : `Status: ${status}. Change`;
};
export const changeStatusOf = (title: string) => `Change the status of ${title}`;

export const noMatching = 'No matching findings';
/** @param keys such as `severty:` */
export const notFilters = (keys: readonly string[]) =>
  plural(keys.length, {
    one: `${list(keys)} is not a filter, so it is searched for as text.`,
    other: `${list(keys)} are not filters, so they are searched for as text.`,
  });
export const removeFilter = 'Remove a filter or show all findings of this view.';
export const clearFilters = 'Clear filters';
export const nothingNeedsAttention = 'Nothing needs attention';
export const noneInView = 'No findings in this view';
/** By the id of a view. */
export const whatAppears: Record<string, string> = {
  attention: 'New and regressed findings appear here.',
  regressed: 'Findings that a scan reports again after a fix appear here.',
  mine: 'Findings that are assigned to you appear here.',
  mentions: 'Findings with a comment that mentions you appear here.',
  overdue: 'Findings appear here when their due date has passed.',
  verify: 'Findings that were fixed appear here until a scan confirms it.',
};
export const whatFits = 'Findings appear here when they match the view.';
export const showAll = 'Show all findings';
export const noFindings = 'No findings yet';
export const whereFindingsComeFrom =
  'Findings appear here when an agent reports them or a report is uploaded.';
export const openFirstSteps = 'Open first steps';

export const exportList = 'Export';
export const exportAll = 'Export all matching findings';
export const formats = {
  spreadsheet: { name: 'CSV', hint: 'for spreadsheets: names and links' },
  csv: { name: 'CSV', hint: 'all fields, for programs' },
  json: { name: 'JSON', hint: 'in API format' },
  sarif: { name: 'SARIF 2.1.0', hint: 'for other tools' },
};
export const printReport = 'Print report';
export const exportComplete = 'Export complete';
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
export const fileWithSize = (name: string, bytes: number) => `${name}, ${megabytes(bytes)}`;
export const exportFailed = (problem: string) => `The export failed: ${problem}`;
export const cancelExport = (format: string) => `Cancel the export of ${format}`;
export const exporting = (format: string, bytes: number) => `${format} … ${megabytes(bytes)}`;

export const nextFinding = 'Next finding';
export const previousFinding = 'Previous finding';
export const previewFinding = 'Preview the finding, or close the preview';
export const openFinding = 'Open the finding';
export const selectFinding = 'Select or deselect the finding';
export const selectRange = 'Select all findings from the last selected one to this one';
export const editFinding = 'Edit with reason, note, assignee or date';
export const assignPreviewed = 'Assign the previewed finding to me';
export const closeOrClear = 'Close the preview, or clear the selection';
export const nextGroup = 'Next group';
export const previousGroup = 'Previous group';
export const openGroup = 'Open or close the group';
export const editGroup = 'Edit all findings of the group with reason, note, assignee or date';
export const showNew = 'Show new findings';
export const changeDensity = 'Compact or comfortable rows';
export const saveAsView = 'Save the list as a view';
export const search = 'Search';
export const showHelp = 'Show this help';
/** Names of keys. */
export const keys = {
  enter: 'Enter',
  space: 'Space',
  escape: 'Esc',
  shiftX: 'Shift + x',
  shiftSpace: 'Shift + Space',
};

export const regressedFindings = (count: number) =>
  plural(count, { one: '# regressed finding', other: '# regressed findings' });
export const newFindings = (count: number) =>
  plural(count, { one: '# new finding', other: '# new findings' });
export const both = (regressed: number, added: number) =>
  `${regressedFindings(regressed)}, ${newFindings(added)}`;
export const hasChanged = 'The list has changed';
