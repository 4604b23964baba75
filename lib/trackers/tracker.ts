import type { Block } from './blocks.ts';

/**
 * Why a tracker did not do something.
 * `later`: it cannot be reached, is overloaded, or limits the rate of requests.
 * `unauthorized`: the token is invalid, has expired or was revoked.
 * `forbidden`: the token does not reach the project, or may not do this.
 * `refused`: the tracker does not accept the request, such as an issue without a field that its project requires.
 * `moved`: the issue or its project has another address now.
 * `deleted`: the project exists, but not the issue.
 * `unexpected`: the service cannot read the answer, or has a fault.
 */
export type TrackerFailure =
  | 'later'
  | 'unauthorized'
  | 'forbidden'
  | 'refused'
  | 'moved'
  | 'deleted'
  | 'unexpected';

/** A failure of a tracker. The message is for the members of the organization, and may quote the tracker. */
export class TrackerError extends Error {
  readonly kind: TrackerFailure;
  /** The status of the response. */
  readonly status: number | undefined;
  /** With `later`: when the tracker accepts requests again, if it says so. */
  readonly retryAt: Date | undefined;

  constructor(
    kind: TrackerFailure,
    message: string,
    { status, retryAt }: { status?: number | undefined; retryAt?: Date | undefined } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.retryAt = retryAt;
  }
}

/** The place of an organization's issues. */
export interface TrackerSettings {
  kind: 'github' | 'gitlab' | 'jira';
  /** The address of the tracker, such as `https://github.com` or `https://acme.atlassian.net`. */
  url: string;
  /** A repository or project (`acme/web-shop`), or the key of a Jira project (`WEB`). */
  project: string;
  /** Labels of new issues. */
  labels: readonly string[];
  /** Jira: the type of new issues, such as `Bug`. */
  issueType?: string | undefined;
  /** Jira Cloud: the account of the token. Absent: Jira Data Center, whose token is a personal access token. */
  email?: string | undefined;
  token: string;
}

/** A new issue. */
export interface NewIssue {
  title: string;
  blocks: readonly Block[];
  /** A unique id, which the text of the issue has. */
  marker: string;
}

/** An issue, as its tracker has it. */
export interface TrackerIssue {
  /** `12` or `WEB-12`. */
  key: string;
  /** GitHub and GitLab: its state. Jira: whether the category of its status is `done`; the resolution does not count. */
  isClosed: boolean;
  /** Whether it is closed because the work is done. Only GitHub has another reason: GitLab and Jira do not tell. */
  isCompleted: boolean;
  /** The status in the words of the tracker. */
  status: string;
}

/** Why an issue is closed. */
export type ClosingReason = 'fixed' | 'dismissed';

/** The result of `check`. */
export interface TrackerAccess {
  /** When the token expires, if the tracker says so. */
  tokenExpiresAt?: Date;
}

/** The issues of one project. All functions throw a {@link TrackerError}. */
export interface Tracker {
  /** Reads the project, and whether the token may create issues as far as the tracker says. */
  check(): Promise<TrackerAccess>;
  /** The key of an issue of the project. @returns undefined if the address is another */
  keyOf(url: string): string | undefined;
  /** The address of an issue for browsers. It is made from the settings: addresses in answers are not used. */
  urlOf(key: string): string;
  /** The key of an issue of the account of the token that has a marker, and was created since about then. */
  find(marker: string, since: Date): Promise<string | undefined>;
  /** Creates an issue. @returns its key */
  create(issue: NewIssue): Promise<string>;
  read(key: string): Promise<TrackerIssue>;
  comment(key: string, blocks: readonly Block[]): Promise<void>;
  /** Closes an issue. A closed one stays as it is. @returns its status */
  close(key: string, reason: ClosingReason): Promise<string>;
  /** Opens an issue again. An open one stays as it is. @returns its status */
  reopen(key: string): Promise<string>;
}
