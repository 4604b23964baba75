import { z } from 'zod';
import type { Result } from '../importer.ts';
import { vulnerabilityResult } from '../kinds/dependency.ts';
import { fields, number, object, objects, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cvssOf, severityOf, severityOfScore } from '../support.ts';
import { codeBlock, escapeMarkdown, firstLines, joined, sanitizeMarkdown } from '../text/markdown.ts';

/** An advisory of the npm registry, as npm 6, pnpm and Yarn report it. */
export const RegistryAdvisory = z.object({
  ...fields(text, 'id', 'module_name', 'title', 'severity', 'url', 'github_advisory_id', 'overview'),
  ...fields(text, 'recommendation', 'references', 'vulnerable_versions', 'patched_versions'),
  cves: texts,
  cwe: texts,
  cvss: object({ score: number, vectorString: text }),
  findings: objects({ version: text, paths: texts }),
});

export type RegistryAdvisory = z.output<typeof RegistryAdvisory>;

/** Whether a report has the layout of npm 6, which pnpm and Yarn 2 and 3 write too. */
export const hasAdvisories = (document: unknown): document is Record<string, unknown> =>
  isObject(document) && isObject(document.advisories) && isObject(document.metadata);

/** Whether pnpm wrote it: it names no actions, and its paths start with the directory of a package in the workspace. */
export const isOfPnpm = (document: Record<string, unknown>): boolean =>
  !('actions' in document) ||
  Object.values(isObject(document.advisories) ? document.advisories : {}).some((advisory) =>
    [property(advisory, 'findings')]
      .flat()
      .some((found) => [property(found, 'paths')].flat().some((path) => /^\.(?:>|__)/.test(String(path)))),
  );

/** The advisories of a report with the layout of npm 6, by their numbers. */
export const advisoriesIn = (document: Record<string, unknown>): unknown[] =>
  Object.entries(isObject(document.advisories) ? document.advisories : {}).map(([id, advisory]) =>
    isObject(advisory) ? { id, ...advisory } : advisory,
  );

/** The number of an advisory changes when it is edited. */
export const advisoryId = ({ github_advisory_id: id, url, id: number, title }: RegistryAdvisory): string =>
  id ?? /\bGHSA(?:-[0-9a-z]{4}){3}\b/i.exec(url ?? '')?.[0] ?? url ?? number ?? title ?? 'Advisory';

/** @param file the lock file @param paths the dependencies that lead to the package */
export function advisoryResult(
  tool: string,
  advisory: RegistryAdvisory,
  file: string | undefined,
  paths: readonly string[],
): Result {
  const { title, overview, findings, module_name: name } = advisory;
  const cvss = cvssOf(advisory.cvss?.vectorString);
  const score = advisory.cvss?.score || cvss?.score;
  const id = advisoryId(advisory);
  return vulnerabilityResult({
    tool,
    entries: [advisory],
    identity: [name],
    id: /^https?:/.test(id) ? (title ?? id) : id,
    aliases: [...advisory.cves, advisory.github_advisory_id],
    name,
    version: joined([...new Set(findings.map(({ version }) => version))], ', ') || undefined,
    summary: title,
    severity: severityOf(advisory.severity, severityOfScore(score || undefined, 'medium')),
    cvss: { score, vector: cvss?.vector },
    cwes: advisory.cwe,
    file,
    description: {
      what: sanitizeMarkdown(overview ?? '') || escapeMarkdown(title ?? ''),
      facts: {
        'Vulnerable versions': advisory.vulnerable_versions,
        'Fixed version': advisory.patched_versions,
      },
      where: paths.length > 0 ? codeBlock(listedPaths([...new Set(paths)]).join('\n')) : undefined,
      fix: sanitizeMarkdown(advisory.recommendation ?? ''),
      references: [advisory.url, ...linksOf(advisory)],
    },
  });
}

export const linksOf = ({ references }: RegistryAdvisory): string[] =>
  references?.match(/https?:\/\/[^\s)\]>"]+/g) ?? [];

const MAX_PATHS = 50;

/** The first dependency paths of a package, and how many more there are. */
export const listedPaths = (paths: readonly string[]) => firstLines(paths, MAX_PATHS);
