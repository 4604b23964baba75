import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, type Importer, ReportError, type Result, readList } from '../importer.ts';
import { folderParts, manifestIn } from '../kinds/dependency.ts';
import { firstDocument } from '../read/report.ts';
import { fields, flag, list, number, object, objects, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cveOf, cvssOf, cweOf, relativePath, severityOf, severityOfScore } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import {
  codeBlock,
  describeFinding,
  escapeMarkdown,
  inlineCode,
  joined,
  sanitizeMarkdown,
} from '../text/markdown.ts';
import {
  advisoriesIn,
  hasAdvisories,
  isOfPnpm,
  linksOf,
  listedPaths,
  RegistryAdvisory,
  advisoryId as registryId,
} from '../tools/registry-advisory.ts';

const Advisory = z.object({
  ...fields(text, 'source', 'name', 'title', 'url', 'severity', 'range'),
  cwe: texts,
  cvss: object({ score: number, vectorString: text }),
});

const Vulnerability = z.object({
  name: requiredText,
  severity: text,
  isDirect: flag,
  /** Advisories, and the names of vulnerable packages that it depends on. */
  via: list(z.union([z.string(), Advisory])),
  effects: texts,
  range: text,
  nodes: texts,
  fixAvailable: z
    .union([z.boolean(), z.object({ name: text, version: text, isSemVerMajor: flag })])
    .optional()
    .catch(undefined),
});

type Vulnerability = z.output<typeof Vulnerability>;
type Advisory = z.output<typeof Advisory>;

/** The lock files that npm reads; and those of other tools that write such reports. */
const MANIFESTS = ['npm-shrinkwrap.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'];

/**
 * `npm audit --json`. Since npm 7: a finding for each vulnerable package, which is also how npm counts. npm 6: a finding for
 * each advisory.
 */
export const npmAudit: Importer = {
  name: 'npm-audit',
  about: {
    tool: '[npm audit](https://docs.npmjs.com/cli/commands/npm-audit)',
    command: '`npm audit --json > report.json`',
    versions: '11; npm 6 and npm 7 or later, whose reports name no version',
    identity: 'folder, package, advisories',
  },

  detects: (report) => {
    const document = firstDocument(report);
    return (
      document !== undefined &&
      ('auditReportVersion' in document ||
        (hasAdvisories(document) && !isOfPnpm(document)) ||
        hasFailed(document))
    );
  },

  results(report, context) {
    const document = firstDocument(report);
    if (document && hasFailed(document)) throw new ReportError(`npm audit failed: ${reasonOf(document)}`);
    const file = manifestIn(MANIFESTS, context) ?? relativePath('package-lock.json', context);
    if (hasAdvisories(document)) return advisoryResults(document, file, context);
    const packages = property(document, 'vulnerabilities');
    if (!isObject(packages)) throw new ReportError('expected an object', 'vulnerabilities');
    const vulnerabilities = readList(
      Vulnerability,
      Object.entries(packages).map(([name, found]) => (isObject(found) ? { name, ...found } : found)),
      'vulnerabilities',
      context,
    );
    return vulnerabilities.map((found) => {
      const { name } = found;
      const advisories = found.via.filter((via) => typeof via !== 'string');
      const viaPackages = found.via.filter((via) => typeof via === 'string');
      const [worst] = advisories
        .map(({ cvss }) => ({ score: cvss?.score, ...cvssOf(cvss?.vectorString) }))
        .filter(({ score, vector }) => score && vector)
        .sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
      return {
        entries: [found],
        // With the advisories, so that a new advisory for a triaged package is a new finding.
        identify: (manifest) =>
          fingerprintOf(
            'npm-audit',
            ...folderParts(manifest, context),
            name,
            ...[...advisories.map(advisoryId), ...viaPackages].sort(),
          ),
        title: titleOf(name, advisories, viaPackages),
        rule_id: advisories.length === 1 ? advisoryId(advisories[0] as Advisory) : undefined,
        severity: severityOf(found.severity, severityOfScore(worst?.score || undefined, 'medium')),
        description: describeFinding({
          what: joined(
            [
              advisories.map((advisory) => `- ${advisoryLine(advisory)}`).join('\n'),
              viaPackages.length > 0 &&
                `${inlineCode(name)} depends on vulnerable versions of ${viaPackages.map(inlineCode).join(', ')}.`,
            ],
            '\n\n',
          ),
          facts: {
            Package: name,
            'Vulnerable versions': found.range,
            Dependency: found.isDirect === undefined ? undefined : found.isDirect ? 'direct' : 'transitive',
            'Affected dependents': found.effects.join(', '),
          },
          where: found.nodes.length > 0 ? codeBlock(found.nodes.join('\n')) : undefined,
          fix: fixOf(found),
          references: advisories.map(({ url }) => url),
        }),
        cwe: cweOf(...advisories.flatMap(({ cwe }) => cwe)),
        cve: cveOf(...advisories.map(({ title }) => title)),
        cvss_score: worst?.score,
        cvss_vector: worst?.vector,
        file,
      };
    });
  },
};

const hasFailed = ({ error }: Record<string, unknown>) =>
  typeof error === 'object' && error !== null && 'summary' in error && 'detail' in error;

const reasonOf = ({ message, error }: Record<string, unknown>) => {
  const reason = [message, property(error, 'summary'), property(error, 'code')].find(
    (part) => typeof part === 'string' && part !== '',
  );
  return maskCredentials(String(reason ?? 'no reason given'));
};

/** Prefers the URL to `source`, which changes when an advisory is edited. */
const advisoryId = ({ url, source, title }: Advisory) =>
  /\bGHSA(?:-[0-9a-z]{4}){3}\b/i.exec(url ?? '')?.[0] ?? url ?? source ?? title ?? '';

function titleOf(name: string, advisories: Advisory[], viaPackages: string[]): string {
  const [first, ...others] = advisories;
  if (first) {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const id = /^GHSA-/i.test(advisoryId(first)) ? `${advisoryId(first)} in ` : '';
    return `${id}${name}: ${first.title ?? 'vulnerable versions'}${more}`;
  }
  return viaPackages.length > 0
    ? `${name} depends on vulnerable ${viaPackages.join(', ')}`
    : `Vulnerable package ${name}`;
}

const advisoryLine = ({ title, severity, range, ...advisory }: Advisory) =>
  joined(
    [
      `${escapeMarkdown(title ?? advisoryId(advisory as Advisory))}`,
      joined([severity, range && `versions ${inlineCode(range)}`], ', '),
    ],
    ' — ',
  );

function fixOf({ fixAvailable: fix }: Vulnerability): string | undefined {
  if (fix === undefined) return undefined;
  if (fix === false) return 'No fix is available.';
  if (fix === true) return codeBlock('npm audit fix', 'sh');
  const breaking = fix.isSemVerMajor ? ', which is a breaking change' : '';
  return `${codeBlock('npm audit fix --force', 'sh')}\n\nThis installs ${inlineCode(`${fix.name}@${fix.version}`)}${breaking}.`;
}

const FormerAdvisory = RegistryAdvisory.extend({
  findings: objects({ version: text, paths: texts, dev: flag }),
});

const Action = z.object({
  ...fields(text, 'action', 'module', 'target'),
  isMajor: flag,
  depth: number,
  resolves: objects({ id: text }),
});

/** A finding for each advisory. @param file the manifest */
function advisoryResults(
  document: Record<string, unknown>,
  file: string | undefined,
  context: ImportContext,
): Result[] {
  const advisories = readList(FormerAdvisory, advisoriesIn(document), 'advisories', context);
  const { data: actions = [] } = list(Action).safeParse(document.actions);
  context.skip('muted in npm', [document.muted ?? []].flat().length);
  return advisories.map((advisory) => {
    const name = advisory.module_name ?? 'a package';
    const id = registryId(advisory);
    const cvss = cvssOf(advisory.cvss?.vectorString);
    const score = advisory.cvss?.score || cvss?.score;
    const action = actions.find(({ resolves }) => resolves.some((one) => one.id === advisory.id));
    const paths = advisory.findings.flatMap(({ paths }) => paths);
    return {
      entries: [advisory],
      identify: (manifest) =>
        fingerprintOf('npm-audit', 'advisory', ...folderParts(manifest, context), name, id),
      title: `${/^GHSA-/i.test(id) ? `${id} in ` : ''}${name}: ${advisory.title ?? 'vulnerable versions'}`,
      rule_id: id,
      severity: severityOf(advisory.severity, severityOfScore(score || undefined, 'medium')),
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
        fix: joined([sanitizeMarkdown(advisory.recommendation ?? ''), action && actionOf(action)], '\n\n'),
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

function actionOf({ action, module, target, isMajor, depth }: z.output<typeof Action>): string | undefined {
  if (!module || action === 'review') return undefined;
  const command =
    action === 'update'
      ? `npm update ${module}${depth ? ` --depth ${depth}` : ''}`
      : `npm install ${joined([module, target], '@')}`;
  return `${codeBlock(command, 'sh')}${isMajor ? `\n\nThis upgrades ${inlineCode(module)} to a new major version.` : ''}`;
}
