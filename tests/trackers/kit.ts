import { parseConfig } from '../../lib/config/parse.ts';
import { createNodeOutbound } from '../../lib/node/outbound.ts';
import { createTracker } from '../../lib/trackers/create.ts';
import type { NewIssue, Tracker, TrackerError, TrackerSettings } from '../../lib/trackers/tracker.ts';
import type { FakeTracker } from '../support/trackers/fake.ts';
import { startGithub } from '../support/trackers/github.ts';
import { startGitlab } from '../support/trackers/gitlab.ts';
import { startJira } from '../support/trackers/jira.ts';

export const TOKEN = 'secret-token-0123456789';
const EMAIL = 'ada@acme.example';
export const NOW = new Date('2026-11-30T09:00:00Z');

/** An issue as a fake has it, without the differences between trackers. */
export interface PlainIssue {
  key: string;
  title: string;
  text: string;
  labels: string[];
  isClosed: boolean;
  comments: string[];
}

/** A tracker with the fake that it talks to. */
export interface Rig {
  tracker: Tracker;
  fake: FakeTracker;
  settings: TrackerSettings;
  issues(): PlainIssue[];
  /** Deletes the first issue there. */
  remove(): void;
  /** Moves the first issue there to another project. */
  move(): void;
  /** Takes the project out of reach of the token. */
  hide(): void;
}

/** A tracker over the fake at an address, or at one that is given. */
export const connect = (settings: TrackerSettings): Tracker =>
  createTracker(settings, {
    outbound: createNodeOutbound(parseConfig({ SVC_OUTBOUND_ALLOW: '127.0.0.0/8' })),
    clock: () => NOW,
  });

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

async function startGithubRig(): Promise<Rig> {
  const fake = await startGithub(TOKEN, () => NOW);
  const settings = {
    ...{ kind: 'github' as const, url: fake.url, project: 'acme/web-shop' },
    ...{ labels: ['security', 'from scanner'], token: TOKEN },
  };
  const first = () => fake.issues[0] as (typeof fake.issues)[number];
  return {
    ...{ tracker: connect(settings), fake, settings },
    issues: () =>
      fake.issues.map(({ number, title, body, labels, state, comments }) => ({
        ...{ key: String(number), title, text: body ?? '', labels, isClosed: state === 'closed', comments },
      })),
    remove: () => Object.assign(first(), { is: 'deleted' }),
    move: () => Object.assign(first(), { is: 'transferred' }),
    hide() {
      fake.intercept = () => ({ status: 404, body: { message: 'Not Found' } });
    },
  };
}

async function startGitlabRig(): Promise<Rig> {
  const fake = await startGitlab(TOKEN, () => NOW);
  const settings = {
    ...{ kind: 'gitlab' as const, url: fake.url, project: 'acme/web-shop' },
    ...{ labels: ['security', 'from scanner'], token: TOKEN },
  };
  return {
    ...{ tracker: connect(settings), fake, settings },
    issues: () =>
      fake.issues.map(({ iid, title, description, labels, state, notes }) => ({
        ...{
          key: String(iid),
          title,
          text: description,
          labels,
          isClosed: state === 'closed',
          comments: notes,
        },
      })),
    remove: () => Object.assign(fake.issues[0] as object, { isDeleted: true }),
    move: () => Object.assign(fake.issues[0] as object, { moved_to_id: 77, state: 'closed' }),
    hide() {
      fake.intercept = () => ({ status: 404, body: { message: '404 Project Not Found' } });
    },
  };
}

async function startJiraRig(email?: string): Promise<Rig> {
  const fake = await startJira(TOKEN, email);
  const settings = {
    ...{ kind: 'jira' as const, url: fake.url, project: 'WEB', issueType: 'Task', email },
    ...{ labels: ['security', 'from scanner'], token: TOKEN },
  };
  return {
    ...{ tracker: connect(settings), fake, settings },
    issues: () =>
      fake.issues.map(({ key, summary, description, labels, status, comments }) => ({
        ...{ key, title: summary, text: asText(description), labels: labels.map((l) => l.replace('-', ' ')) },
        ...{ isClosed: status === 'Done' || status === 'Declined', comments: comments.map(asText) },
      })),
    remove: () => Object.assign(fake.issues[0] as object, { isDeleted: true }),
    move: () => Object.assign(fake.issues[0] as object, { formerKey: 'WEB-1', key: 'OPS-9' }),
    hide() {
      fake.isProjectVisible = false;
    },
  };
}

export const RIGS: Record<string, () => Promise<Rig>> = {
  GitHub: startGithubRig,
  GitLab: startGitlabRig,
  'Jira Cloud': () => startJiraRig(EMAIL),
  'Jira Data Center': () => startJiraRig(),
};

/** Two minutes ago: a search of Jira finds issues of then. */
export const TRIED = new Date(NOW.getTime() - 2 * 60_000);

export const MARKER = '0199c8a2-7d52-7b04-9c3d-5a1f0e6b7c88';

export const newIssue = (changes: Partial<NewIssue> = {}): NewIssue => ({
  title: 'SQL injection in login',
  blocks: [
    { kind: 'text', text: 'A scanner reported this finding.' },
    { kind: 'facts', facts: [['Severity', 'high']] },
    { kind: 'reported', heading: 'Description', text: 'The query is built from input.' },
    { kind: 'link', text: 'Open the finding', url: 'https://findings.example/findings/1' },
  ],
  marker: MARKER,
  ...changes,
});

/** The failure of a call, which must be one. */
export async function failureOf(call: Promise<unknown>): Promise<TrackerError> {
  const done = await call.then(
    () => 'no failure',
    (error) => error,
  );
  if (typeof done === 'string') throw new Error(done);
  return done as TrackerError;
}
