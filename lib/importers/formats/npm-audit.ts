import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type Importer, ReportError, readList } from '../importer.ts';
import { firstDocument, folderParts, manifestIn } from '../kinds/dependency.ts';
import {
  flag,
  isObject,
  list,
  number,
  optional,
  property,
  requiredText,
  text,
  texts,
} from '../read/schema.ts';
import { cveOf, cvssOf, cweOf, relativePath, severityOf, severityOfScore } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { codeBlock, describeFinding, escapeMarkdown, inlineCode } from '../text/markdown.ts';
import { advisoryResults } from '../tools/npm-advisories.ts';
import { hasAdvisories, isOfPnpm } from '../tools/registry-advisory.ts';

const Advisory = z.object({
  source: text,
  name: text,
  title: text,
  url: text,
  severity: text,
  cwe: texts,
  cvss: optional(z.object({ score: number, vectorString: text })),
  range: text,
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
    severity: '`severity`',
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
        // With the advisories, so that a new advisory for a triaged package is a new finding.
        identify: (manifest) =>
          fingerprintOf(
            'npm-audit',
            ...folderParts(manifest, context),
            name,
            ...[...advisories.map(advisoryId), ...viaPackages].sort(),
          ),
        title: titleOf(name, advisories, viaPackages),
        severity: severityOf(found.severity, worst?.score ? severityOfScore(worst.score) : 'medium'),
        description: describeFinding({
          what: [
            advisories.map((advisory) => `- ${advisoryLine(advisory)}`).join('\n'),
            viaPackages.length > 0 &&
              `${inlineCode(name)} depends on vulnerable versions of ${viaPackages.map(inlineCode).join(', ')}.`,
          ]
            .filter(Boolean)
            .join('\n\n'),
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
  [
    `${escapeMarkdown(title ?? advisoryId(advisory as Advisory))}`,
    [severity, range && `versions ${inlineCode(range)}`].filter(Boolean).join(', '),
  ]
    .filter(Boolean)
    .join(' — ');

function fixOf({ fixAvailable: fix }: Vulnerability): string | undefined {
  if (fix === undefined) return undefined;
  if (fix === false) return 'No fix is available.';
  if (fix === true) return codeBlock('npm audit fix', 'sh');
  const breaking = fix.isSemVerMajor ? ', which is a breaking change' : '';
  return `${codeBlock('npm audit fix --force', 'sh')}\n\nThis installs ${inlineCode(`${fix.name}@${fix.version}`)}${breaking}.`;
}
