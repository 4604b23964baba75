import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, type Result, readList } from '../importer.ts';
import { folderParts } from '../kinds/dependency.ts';
import { fields, flag, list, number, objects, text, texts } from '../read/schema.ts';
import { cveOf, cvssOf, cweOf, severityOf, severityOfScore } from '../support.ts';
import {
  codeBlock,
  describeFinding,
  escapeMarkdown,
  inlineCode,
  joined,
  sanitizeMarkdown,
} from '../text/markdown.ts';
import { advisoriesIn, advisoryId, linksOf, listedPaths, RegistryAdvisory } from './registry-advisory.ts';

const Advisory = RegistryAdvisory.extend({
  findings: objects({ version: text, paths: texts, dev: flag }),
});

const Action = z.object({
  ...fields(text, 'action', 'module', 'target'),
  isMajor: flag,
  depth: number,
  resolves: objects({ id: text }),
});

/** A finding for each advisory. @param file the manifest */
export function advisoryResults(
  document: Record<string, unknown>,
  file: string | undefined,
  context: ImportContext,
): Result[] {
  const advisories = readList(Advisory, advisoriesIn(document), 'advisories', context);
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
        where: paths.length > 0 ? codeBlock(listedPaths(paths).join('\n')) : undefined,
        fix: joined([sanitizeMarkdown(advisory.recommendation ?? ''), action && fixOf(action)], '\n\n'),
        references: [advisory.url, ...linksOf(advisory)],
      }),
      cwe: cweOf(...advisory.cwe),
      cve: cveOf(...advisory.cves, advisory.title),
      cvss_score: score,
      cvss_vector: cvss?.vector,
      file,
    };
  });
}

function fixOf({ action, module, target, isMajor, depth }: z.output<typeof Action>): string | undefined {
  if (!module || action === 'review') return undefined;
  const command =
    action === 'update'
      ? `npm update ${module}${depth ? ` --depth ${depth}` : ''}`
      : `npm install ${joined([module, target], '@')}`;
  return `${codeBlock(command, 'sh')}${isMajor ? `\n\nThis upgrades ${inlineCode(module)} to a new major version.` : ''}`;
}
