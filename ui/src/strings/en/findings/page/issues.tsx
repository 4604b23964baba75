import type { ReactNode } from 'react';
import { plural } from '../../language.ts';

export const issues = 'Issues';
export const noIssue = 'No issue yet.';
export const actions = 'Actions for issues';
export const createAt = (integration: string) => `Create an issue at ${integration}`;
export const linkAt = (integration: string) => `Link an issue of ${integration}…`;
export const created = 'The issue is being created';
export const linked = 'The issue is being linked';

export const states = {
  pending: 'Pending',
  open: 'Open',
  closed: 'Closed',
  gone: 'Out of reach',
  failed: 'Not created',
};
export const nameOf = (key: string | undefined, integration: string | undefined) =>
  [integration, key && `#${key}`].filter(Boolean).join(' ') || issues;
export const statusThere = (status: string) => (
  <>
    Status there: <bdi>{status}</bdi>
  </>
);
export const checked = (time: ReactNode) => <>Checked {time}</>;
export const sharedBy = (findings: number) =>
  plural(findings, { one: '# finding has this issue', other: '# findings have this issue' });
export const whyNothing = (reason: string) => (
  <>
    Nothing was done: <bdi>{reason}</bdi>
  </>
);

export const unlink = 'Unlink';
export const unlinkIssue = (name: string) => `Unlink ${name}`;
export const askUnlink = 'Unlink this issue?';
export const whatUnlinkingDoes = 'The issue stays at the tracker.';
export const unlinked = 'The issue was unlinked';

export const linkIssue = 'Link an issue';
export const link = 'Link';
export const address = 'Address of the issue';

export const askForce = 'Create an issue anyway?';
export const createAnyway = 'Create';
