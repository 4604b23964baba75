export const project = 'Project';
export const scan = 'Scan';
export const severity = 'Severity';
export const status = 'Status';
export const changes = { new: 'New since', seen_again: 'Also in', gone: 'Gone since' };
export const me = 'me';
export const nobody = 'nobody';
export const text = 'Text';
export const assignee = 'Assignee';
export const mentions = 'Mentions';
export const changedBy = 'Changed by';
export const flags = {
  attention: 'Needs attention',
  regressed: 'Regressed',
  overdue: 'Overdue',
  missing: 'Missing',
  proposed: 'Proposed',
  has_exploit: 'Exploit',
  resolved_in_time: 'Resolved within due date',
};
export const yes = 'yes';
export const no = 'no';
export const texts = {
  source: 'Source',
  not_source: 'Source is not',
  ref: 'Present on',
  cwe: 'CWE',
  cve: 'CVE',
  rule: 'Rule',
  file: 'File',
  path: 'Path',
  not_path: 'Path is not',
  found_after: 'Found since',
  found_before: 'Found before',
  seen_after: 'Seen since',
  seen_before: 'Seen before',
  resolved_after: 'Resolved since',
  resolved_before: 'Resolved before',
  unresolved_after: 'Unresolved since',
  unresolved_before: 'Unresolved since before',
  changed_after: 'Changed since',
  changed_before: 'Changed before',
};
export const none = 'none';
