import { z } from 'zod';
import { folderParts } from '../../dependency.ts';
import { fingerprintOf } from '../../identity.ts';
import { type ImportContext, type Result, readList } from '../../importer.ts';
import { codeBlock, describeFinding, escapeMarkdown, inlineCode, sanitizeMarkdown } from '../../markdown.ts';
import { flag, isObject, list, number, optional, property, text, texts } from '../../schema.ts';
import { cveOf, cvssOf, cweOf, severityOf, severityOfScore } from '../../support.ts';

const Advisory = z.object({
  id: text,
  module_name: text,
  title: text,
  severity: text,
  url: text,
  github_advisory_id: text,
  cves: texts,
  cwe: texts,
  cvss: optional(z.object({ score: number, vectorString: text })),
  overview: text,
  recommendation: text,
  references: text,
  vulnerable_versions: text,
  patched_versions: text,
  findings: list(z.object({ version: text, paths: texts, dev: flag })),
});

type Advisory = z.output<typeof Advisory>;

const Action = z.object({
  action: text,
  module: text,
  target: text,
  isMajor: flag,
  depth: number,
  resolves: list(z.object({ id: text })),
});

/** Whether a report lists advisories, as the registry returned them to npm 6 and returns them to pnpm and Yarn. */
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

/** A finding for each advisory. @param file the manifest */
export function advisoryResults(
  document: Record<string, unknown>,
  file: string | undefined,
  context: ImportContext,
): Result[] {
  const entries = Object.entries(isObject(document.advisories) ? document.advisories : {});
  const advisories = readList(
    Advisory,
    entries.map(([id, advisory]) => (isObject(advisory) ? { id, ...advisory } : advisory)),
    'advisories',
    context,
  );
  const { data: actions = [] } = list(Action).safeParse(document.actions);
  context.skip('muted in npm', [document.muted ?? []].flat().length);
  return advisories.map((advisory) => {
    const name = advisory.module_name ?? 'a package';
    const id = advisoryId(advisory);
    const cvss = cvssOf(advisory.cvss?.vectorString);
    const score = advisory.cvss?.score || cvss?.score;
    const action = actions.find(({ resolves }) => resolves.some((one) => one.id === advisory.id));
    const paths = advisory.findings.flatMap(({ paths }) => paths);
    return {
      identify: (manifest) =>
        fingerprintOf('npm-audit', 'advisory', ...folderParts(manifest, context), name, id),
      title: `${/^GHSA-/i.test(id) ? `${id} in ` : ''}${name}: ${advisory.title ?? 'vulnerable versions'}`,
      severity: severityOf(advisory.severity, score ? severityOfScore(score) : 'medium'),
      description: describeFinding({
        what: sanitizeMarkdown(advisory.overview ?? '') || escapeMarkdown(advisory.title ?? ''),
        facts: {
          Package: name,
          'Installed version': [...new Set(advisory.findings.map(({ version }) => version))].join(', '),
          'Vulnerable versions': advisory.vulnerable_versions,
          'Fixed version': advisory.patched_versions,
          CVE: advisory.cves.join(', '),
          Dependency:
            advisory.findings.length > 0 && advisory.findings.every(({ dev }) => dev)
              ? 'development only'
              : undefined,
        },
        where: paths.length > 0 ? codeBlock(listed(paths).join('\n')) : undefined,
        fix: [sanitizeMarkdown(advisory.recommendation ?? ''), action && fixOf(action)]
          .filter(Boolean)
          .join('\n\n'),
        references: [advisory.url, ...linksIn(advisory.references)],
      }),
      cwe: cweOf(...advisory.cwe),
      cve: cveOf(...advisory.cves, advisory.title),
      cvss_score: score,
      cvss_vector: cvss?.vector,
      file,
    };
  });
}

/** The number of an advisory changes when it is edited. */
const advisoryId = ({ github_advisory_id: id, url, id: number }: Advisory) =>
  id ?? /\bGHSA(?:-[0-9a-z]{4}){3}\b/i.exec(url ?? '')?.[0] ?? url ?? number ?? '';

const MAX_PATHS = 50;

const listed = (paths: string[]) =>
  paths.length > MAX_PATHS ? [...paths.slice(0, MAX_PATHS), `… and ${paths.length - MAX_PATHS} more`] : paths;

const linksIn = (references: string | undefined) => references?.match(/https?:\/\/[^\s)\]>"]+/g) ?? [];

function fixOf({ action, module, target, isMajor, depth }: z.output<typeof Action>): string | undefined {
  if (!module || action === 'review') return undefined;
  const command =
    action === 'update'
      ? `npm update ${module}${depth ? ` --depth ${depth}` : ''}`
      : `npm install ${[module, target].filter(Boolean).join('@')}`;
  return `${codeBlock(command, 'sh')}${isMajor ? `\n\nThis upgrades ${inlineCode(module)} to a new major version.` : ''}`;
}
