import type { TrackerTools } from './calls.ts';
import { createGithub } from './github.ts';
import { createGitlab } from './gitlab.ts';
import { createJira } from './jira.ts';
import type { Tracker, TrackerSettings } from './tracker.ts';

const TRACKERS = { github: createGithub, gitlab: createGitlab, jira: createJira };

/** The tracker that settings name. */
export const createTracker = (settings: TrackerSettings, tools: TrackerTools): Tracker =>
  TRACKERS[settings.kind](settings, tools);
