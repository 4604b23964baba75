import type { PERSONAS } from '../../db/schema/values.ts';
import type { Finding } from '../importers/finding.ts';
import { type Ecosystem, vulnerabilities } from './vulnerabilities.ts';
import { atAddress, inSource, type Language, secretsIn } from './weaknesses.ts';

/* Projects that are made up, and what their scanners may find. */

/** Scanners that run again and again over a project, and report together. */
export interface Schedule {
  name: string;
  persona: (typeof PERSONAS)[number];
  everyDays: number;
  /** Hours into a day, UTC. */
  hour: number;
  target: { type: string; url?: string; path?: string; ref?: string };
  /** All that a scanner may ever find, and which share of it is really there. */
  parts: { candidates: Finding[]; share: number }[];
}

export interface Project {
  name: string;
  /** When its scanners were set up. */
  startDay: number;
  schedules: Schedule[];
}

/** The parts of a project. */
export interface Code {
  name: string;
  /** The domain of its repository. */
  domain: string;
  startDay: number;
  language: Language;
  ecosystem: Ecosystem;
  /** Files of source: every topic in every directory. */
  directories: string[];
  topics: string[];
  extension: string;
  manifests: string[];
  images: string[];
  settings: string[];
  pages?: string[];
}

export const words = (text: string) => text.split(' ');

/** The scanners of a project, with all that they may find in it. */
export const project = (code: Code): Project => {
  const repository = `https://git.${code.domain}/${code.name.toLowerCase().replaceAll(' ', '-')}`;
  const target = { type: 'repository', url: repository, ref: 'main' };
  const files = code.directories.flatMap((directory) =>
    code.topics.map((topic) => `${directory}/${topic}.${code.extension}`),
  );
  const scanner =
    code.ecosystem === 'npm' ? 'npm-audit' : code.ecosystem === 'go' ? 'govulncheck' : 'osv-scanner';
  return {
    name: code.name,
    startDay: code.startDay,
    schedules: [
      {
        name: 'Audit',
        persona: 'sharingan',
        everyDays: 7,
        hour: 2,
        target,
        parts: [
          { candidates: files.flatMap((file) => inSource(code.language, file)), share: 0.7 },
          { candidates: code.settings.flatMap(secretsIn), share: 0.3 },
        ],
      },
      {
        name: 'Dependencies',
        persona: 'senku',
        everyDays: 3,
        hour: 4,
        target,
        parts: [
          {
            candidates: code.manifests.flatMap((manifest) =>
              vulnerabilities(code.ecosystem, scanner, manifest),
            ),
            share: 0.75,
          },
          {
            candidates: code.images.flatMap((image) => vulnerabilities('debian', 'trivy', image)),
            share: 0.6,
          },
        ],
      },
      ...(code.pages ?? []).slice(0, 1).map(
        (first): Schedule => ({
          name: 'Penetration test',
          persona: 'killua',
          everyDays: 7,
          hour: 22,
          target: { type: 'web', url: new URL(first).origin },
          parts: [{ candidates: (code.pages ?? []).flatMap(atAddress), share: 0.35 }],
        }),
      ),
    ],
  };
};
