export const moreActions = 'More actions';

export const deleteFinding = 'Delete finding';
export const deleteFindingAsk = 'Delete finding…';
export const deleteThisFinding = 'Delete this finding?';
export const findingIsGone =
  'Its activity, comments and exploits are deleted too. This cannot be undone. If a scan reports it again, it is a new finding. To hide a finding that is not a problem, set its status to false positive instead.';
export const findingDeleted = 'The finding was deleted.';

export const deleteScan = 'Delete scan';
export const deleteScanAsk = 'Delete scan…';
export const deleteThisScan = 'Delete this scan?';
export const scanIsGone =
  'Its findings stay. Later scans are compared with the scan before it. This cannot be undone.';
export const scanDeleted = 'The scan was deleted.';

/** In the place of the title of a finding. */
export const deleted = 'Deleted finding';

export const deleteProject = 'Delete project';
export const deleteProjectAsk = 'Delete project…';
export const projectIsGone =
  'The project, its findings, scans and API tokens are deleted. Agents can no longer send findings to it. This cannot be undone.';
export const deleteThisProject = (name: string) => `Delete “${name}”?`;
export const projectDeleted = 'The project was deleted.';

export const deleteOrg = 'Delete organization';
export const deleteOrgAsk = 'Delete organization…';
export const orgIsGone =
  'Members and API tokens can no longer use the organization. Owners get a mail and can restore it for 30 days. After that, it is removed for good with all its findings. Nobody else can use its slug again, unless it never had an API token or another member.';
export const deleteThisOrg = (name: string) => `Delete “${name}”?`;
export const orgDeleted = (name: string) => `“${name}” was deleted. You can restore it here for 30 days.`;

export const typeToConfirm = (word: string) => (
  <>
    Type <code>{word}</code> to confirm
  </>
);
