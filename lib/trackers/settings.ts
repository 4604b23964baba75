import { type StoredTracker, TRACKER_KINDS } from '../../db/schema/destinations.ts';
import type { TrackerSettings } from './tracker.ts';

export type TrackerKind = TrackerSettings['kind'];

export const isTrackerKind = (kind: string): kind is TrackerKind =>
  (TRACKER_KINDS as readonly string[]).includes(kind);

/** The form of the names of projects, with an example. A part of dots only would lead to another path. */
const PROJECTS: Record<TrackerKind, { form: RegExp; example: string }> = {
  github: {
    form: /^(?!\.+\/)[\w.-]{1,100}\/(?!\.+$)[\w.-]{1,100}$/,
    example: 'a repository such as acme/web-shop',
  },
  gitlab: {
    form: /^(?:(?!\.+\/)[\w.-]{1,255}\/){1,20}(?!\.+$)[\w.-]{1,255}$/,
    example: 'a project such as acme/web-shop',
  },
  jira: { form: /^[A-Z][A-Z0-9_]{1,254}$/, example: 'the key of a project, such as WEB' },
};

/** Why a text names no project of a tracker. */
export const projectRefusal = (kind: TrackerKind, project: string): string | undefined =>
  PROJECTS[kind].form.test(project) ? undefined : `must be ${PROJECTS[kind].example}`;

/** The address of a tracker without a slash at its end. @returns undefined if it has a query or a fragment */
export function trackerUrl(text: string): string | undefined {
  const { origin, pathname, search, hash } = new URL(text);
  return search || hash ? undefined : `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** The settings of a stored tracker. @param token opened */
export function settingsOf(
  { kind, url, tracker }: { kind: string; url: string; tracker: StoredTracker | null },
  token: string,
): TrackerSettings {
  if (!tracker || !isTrackerKind(kind)) throw new Error(`a destination of the kind ${kind} is no tracker`);
  const { project, labels, issue_type, email } = tracker;
  return {
    ...{ kind, url, project, labels, token },
    ...(kind === 'jira' && { issueType: issue_type, email }),
  };
}
