import { number, plural } from '../language.ts';

export const name = 'Name';
export const enterName = 'Enter a name.';
export const chooseReason = 'Choose a reason.';
export const giveCondition = 'Give at least one condition.';
export const chooseAction = 'Choose a status, an assignee or a due date.';
/** A message of the service about a field, such as “must not be empty”. */
export const fieldProblem = (message: string) => `It ${message}.`;

export const conditions = 'Conditions';
export const howConditionsWork =
  'A new finding must meet every condition. If a condition has several values, one must match.';
export const any = 'Any';
export const project = 'Project';
export const severity = 'Severity';
export const title = 'Title';
export const titleExample = 'Hard-coded *';
export const titlePattern = '* stands for any text.';
export const file = 'File';
export const fileExample = 'src/test/**';
export const filePattern = '* stands for any name, ** also for folders.';
export const scanner = 'Scanner';
export const scannerExample = 'semgrep';
export const scannerRule = 'Scanner rule';
export const scannerRuleExample = 'java.sql-injection';
export const kindOfScan = 'Kind of scan';
export const cwe = 'CWE';
export const cweExample = 'CWE-798';
export const cve = 'CVE';
export const cveExample = 'CVE-2026-12345';

export const actions = 'Actions';
export const status = 'Status';
export const staysOpen = 'Stays open';
export const reason = 'Reason';
export const none = 'None';
export const assignee = 'Assignee';
export const noChange = 'No change';
export const memberWithEmail = (name: string, email: string) => `${name} (${email})`;
export const dueAfterFound = 'Due after it is found';
export const acceptFor = 'Accept the risk for';
export const noEnd = 'No end';
export const openAgainThen = 'Then the finding is open again. Leave empty for no end.';
export const note = 'Note';
export const whereNoteIsShown = 'Shown in the activity of each finding.';

export const preview = 'Preview';
export const giveConditionToSee = 'Give a condition to see the findings that match.';
export const looking = 'Looking for findings…';
export const noneMatches = 'No open finding matches now. The rule decides about new findings.';
export const onlyDecided = (count: number) =>
  plural(count, {
    one: '# finding matches. It has been decided already, so nothing would be changed now.',
    other: '# findings match. They have been decided already, so nothing would be changed now.',
  });
export const wouldChange = (count: number) =>
  plural(count, {
    one: '# open finding would be changed now.',
    other: '# open findings would be changed now.',
  });
export const newestShown = (count: number) => `The newest ${number(count)} are shown.`;
export const alsoChangeMatching = 'Also change the open findings that match now';
export const alsoChange = (count: number) =>
  plural(count, {
    one: 'Also change the # open finding that matches now',
    other: 'Also change the # open findings that match now',
  });

export const save = 'Save';
export const createRule = 'Create rule';
export const cancel = 'Cancel';
export const ruleIsLost = 'Your changes to the rule are lost.';
export const saved = (name: string) => `“${name}” is saved.`;
export const savedAndChanged = (name: string, count: number) =>
  `“${name}” is saved. ${plural(count, { one: '# finding changed.', other: '# findings changed.' })}`;
export const savedNotApplied = (name: string) => `“${name}” is saved, but was not applied`;
export const savedNotAppliedToAll = (name: string) =>
  `“${name}” is saved, but was not applied to all findings`;
export const othersMatch =
  'Other findings match by now, so none was changed. Choose “Apply to existing findings…” in the menu of the rule.';
export const howToContinue = (problem: string) =>
  `${problem}. To continue, choose “Apply to existing findings…” in the menu of the rule.`;
