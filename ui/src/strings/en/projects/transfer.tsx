import type { ReactNode } from 'react';
import { number } from '../language.ts';

export const transferProject = 'Transfer project';
export const transferProjectAsk = 'Transfer project…';
export const whatTransferDoes =
  'Moves the project with its findings, scans, activity and due dates to another organization that you own. Its addresses change, and members of this organization can no longer see it.';
export const noOtherOrg = 'You own no other organization.';
export const transferThisProject = (name: string) => `Transfer “${name}”?`;

/** The consequences for everything that does not move. */
export const consequences: readonly string[] = [
  'Members of the other organization see the project. Members of this one no longer do.',
  'Its API tokens are revoked. Agents need new tokens.',
  'Until the transfer is complete, the project takes no changes. Running scans fail.',
  'Assignees who are not members of the other organization are removed.',
  'Rules, saved views and the undo of changes stay here.',
];

export const organization = 'Organization';
export const chooseOrg = 'Choose an organization';
export const orgChoice = (name: string, slug: string) => `${name} (${slug})`;
export const newSlug = 'Slug there';
export const whyNewSlug = 'Change it if the organization has a project with this slug.';

export const transferTo = (name: ReactNode) => <>The project is being transferred to {name}.</>;
export const noChangesMeanwhile =
  'It takes no changes until the transfer is complete. You can leave this page.';
export const waiting = 'Waiting for a server.';
export const cancelling = 'Cancelling. The project stays here.';
export const copiedOf = (copied: number, findings: number) =>
  `${number(copied)} of ${number(findings)} findings copied.`;
export const progress = 'Copied findings';
export const cancelTransfer = 'Cancel transfer';
export const transferCancelled = 'The transfer is cancelled. The project stays here.';

export const transferred = 'Project transferred';
export const isThere = (name: string) => `The project is in “${name}” now.`;
export const newTokens = 'Create new API tokens there for your agents.';
export const openThere = 'Open project';
