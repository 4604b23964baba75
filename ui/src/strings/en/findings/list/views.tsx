import type { ReactNode } from 'react';
import { number } from '../../language.ts';

export const views = 'Views';
export const savedViews = 'Saved views';
export const shown = 'Shown';
export const saveViewAs = 'Save view…';
export const manageViews = 'Manage views…';
export const yourViews = 'Your views';
export const sharedByOthers = 'Shared by others';

export const saveView = 'Save view';
export const name = 'Name';
export const nameExample = 'Critical and unassigned';
export const enterName = 'Enter a name';
export const shareWithAll = 'Share with all members';
export const adminsCanChange = 'Admins can change and delete shared views.';
export const viewersCannotShare = 'Viewers cannot share views. Only you see this view.';
export const cancel = 'Cancel';
export const saved = (name: string) => `View “${name}” was saved.`;
export const savedAndShared = (name: string) => `View “${name}” was saved and shared with all members.`;
export const deleted = (name: string) => `View “${name}” was deleted.`;

export const noViews = 'No saved views';
export const howToSave = 'Choose filters, and then “Save view…”.';
export const shared = 'Shared';
export const isPrivate = 'Private';
export const byOwner = (list: ReactNode, owner: string) => (
  <>
    {list} · by <bdi>{owner}</bdi>
  </>
);
export const newNameOf = (name: string) => `New name of ${name}`;
export const rename = 'Rename';
export const actionsFor = (name: string) => `Actions for ${name}`;
export const makePrivate = 'Make private';
export const onlyOwnerSees = (name: string) => `Only the owner sees “${name}” now.`;
export const allSee = (name: string) => `All members see “${name}” now.`;
export const replace = 'Replace with the current list';
export const replaced = (name: string) => `“${name}” shows the current list now.`;
export const deleteItem = 'Delete';
export const deleteWhich = (name: string) => (
  <>
    Delete the view “<bdi>{name}</bdi>”?
  </>
);
export const allLoseIt = 'All members lose it. Findings do not change.';
export const findingsStay = 'Findings do not change.';
export const deleteView = 'Delete view';

/** The number of findings of a search with more. */
export const atLeast = (count: number) => `${number(count)}+`;
