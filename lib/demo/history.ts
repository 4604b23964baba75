import { createHash } from 'node:crypto';
import type { Finding } from '../importers/finding.ts';
import type { Project, Schedule } from './project.ts';

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** A finding, and the days from which it is there, is gone, and is back. */
export interface Life {
  finding: Finding;
  from: number;
  until: number;
  again: number;
  /** The decision of the team once it has looked. */
  verdict: 'confirmed' | 'false_positive' | 'wontfix';
}

/** One scan. */
export interface Run {
  at: number;
  project: Project;
  schedule: Schedule;
  lives: Life[];
  /** Why it failed, if it did. */
  failure?: string;
}

/** Numbers from 0 to 1 that look random and are the same each time. */
function dice(seed: string): () => number {
  let digest = createHash('sha256').update(seed).digest();
  let at = 0;
  return () => {
    if (at + 4 > digest.length) {
      digest = createHash('sha256').update(digest).digest();
      at = 0;
    }
    at += 4;
    return digest.readUInt32LE(at - 4) / 2 ** 32;
  };
}

function lifeOf(finding: Finding, startDay: number, days: number): Life {
  const roll = dice(finding.fingerprint);
  // Most of it is there when a scanner is set up; the rest comes with the work that is done meanwhile.
  const from = roll() < 0.72 ? startDay : startDay + roll() * (days - startDay);
  const grave = finding.severity === 'critical' ? 0.65 : finding.severity === 'high' ? 0.45 : 0.22;
  const until = roll() < grave ? from + 2 + roll() * (days - from) : Number.POSITIVE_INFINITY;
  const again = roll() < 0.08 ? until + 5 : Number.POSITIVE_INFINITY;
  const doubt = roll();
  const verdict = doubt < 0.09 ? 'false_positive' : doubt < 0.13 ? 'wontfix' : 'confirmed';
  return { finding, from, until, again, verdict };
}

/** Whether a finding is there on a day. */
export const isThere = ({ from, until, again }: Life, day: number) =>
  day >= from && (day < until || day >= again);

/** All scans of projects in a number of days until now, the oldest first. */
export function runsUntil(projects: readonly Project[], now: number, days: number): Run[] {
  const start = Math.floor(now / DAY_MS) * DAY_MS - (days - 1) * DAY_MS;
  const runs = projects.flatMap((project) =>
    project.schedules.flatMap((schedule, index) => {
      const there = schedule.parts.flatMap(({ candidates, share }) =>
        candidates.filter(({ fingerprint }) => dice(`there ${fingerprint}`)() < share),
      );
      const lives = there.map((finding) => lifeOf(finding, project.startDay, days));
      const made: Run[] = [];
      for (let day = project.startDay; day < days; day += schedule.everyDays) {
        const at = start + day * DAY_MS + (schedule.hour + index * 0.3) * HOUR_MS;
        const fails = dice(`${project.name} ${schedule.name} ${day}`)() < 0.04;
        made.push({
          at,
          project,
          schedule,
          lives,
          ...(fails && { failure: 'A scanner ended with exit status 137.' }),
        });
      }
      return made;
    }),
  );
  return runs.filter(({ at }) => at < now - HOUR_MS).sort((a, b) => a.at - b.at);
}
