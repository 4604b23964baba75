import { z } from 'zod';
import { firstDocument } from '../../dependency.ts';
import { fingerprintOf } from '../../identity.ts';
import { type Importer, ReportError, read } from '../../importer.ts';
import { codeBlock, describeFinding, escapeMarkdown, inlineCode } from '../../markdown.ts';
import { cveOf, cvssOf, cweOf, severityOf } from '../../support.ts';
import { hasAdvisories, isOfPnpm } from './package-managers/registry-advisory.ts';

const text = z.string().nullish();

const Advisory = z.object({
  source: z.union([z.number(), z.string()]).nullish(),
  name: text,
  title: text,
  url: text,
  severity: text,
  cwe: z.union([z.string(), z.array(z.string())]).nullish(),
  cvss: z.object({ score: z.number().nullish(), vectorString: text }).nullish(),
  range: text,
});

const Vulnerability = z.object({
  name: text,
  severity: text,
  isDirect: z.boolean().nullish(),
  via: z.array(z.union([z.string(), Advisory])).nullish(),
  effects: z.array(z.string()).nullish(),
  range: text,
  nodes: z.array(z.string()).nullish(),
  fixAvailable: z
    .union([z.boolean(), z.object({ name: text, version: text, isSemVerMajor: z.boolean().nullish() })])
    .nullish(),
});

const Document = z.object({ vulnerabilities: z.record(z.string(), Vulnerability) });

const Failure = z.object({ message: text, error: z.object({ code: text, summary: text }) });

type Vulnerability = z.output<typeof Vulnerability>;
type Advisory = z.output<typeof Advisory>;

/** `npm audit --json` of npm 7 and later: a finding for each vulnerable package, which is also how npm counts. */
export const npmAudit: Importer = {
  name: 'npm-audit',
  about: {
    tool: '[npm audit](https://docs.npmjs.com/cli/commands/npm-audit)',
    command: '`npm audit --json > report.json`',
    versions: '7 to 11',
    identity: 'manifest, package, advisories',
    severity: '`severity`',
  },

  detects: (report) => {
    const document = firstDocument(report);
    return (
      document !== undefined && ('auditReportVersion' in document || isNpm6(document) || hasFailed(document))
    );
  },

  results(report) {
    const document = firstDocument(report);
    if (document && isNpm6(document)) {
      throw new ReportError('Reports of npm 6 are not supported: use npm 7 or later', 'advisories');
    }
    if (document && hasFailed(document)) {
      const { message, error } = read(Failure, document);
      throw new ReportError(
        `npm audit failed: ${message || error.summary || error.code || 'no reason given'}`,
      );
    }
    const { vulnerabilities } = read(Document, document);
    return Object.entries(vulnerabilities).map(([key, found]) => {
      const name = found.name ?? key;
      const advisories = (found.via ?? []).filter((via) => typeof via !== 'string');
      const viaPackages = (found.via ?? []).filter((via) => typeof via === 'string');
      const [worst] = advisories
        .map(({ cvss }) => ({ score: cvss?.score, ...cvssOf(cvss?.vectorString) }))
        .filter(({ score, vector }) => score && vector)
        .sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
      return {
        // With the advisories, so that a new advisory for a triaged package is a new finding.
        identify: () =>
          fingerprintOf('npm-audit', name, ...[...advisories.map(advisoryId), ...viaPackages].sort()),
        title: titleOf(name, advisories, viaPackages),
        severity: severityOf(found.severity),
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
            'Affected dependents': found.effects?.join(', '),
          },
          where: found.nodes?.length ? codeBlock(found.nodes.join('\n')) : undefined,
          fix: fixOf(found),
          references: advisories.map(({ url }) => url),
        }),
        cwe: cweOf(...advisories.flatMap(({ cwe }) => cwe)),
        cve: cveOf(...advisories.map(({ title }) => title)),
        cvss_score: worst?.score ?? undefined,
        cvss_vector: worst?.vector,
      };
    });
  },
};

const isNpm6 = (document: Record<string, unknown>) => hasAdvisories(document) && !isOfPnpm(document);

const hasFailed = ({ error }: Record<string, unknown>) =>
  typeof error === 'object' && error !== null && 'summary' in error && 'detail' in error;

/** Prefers the URL to `source`, which changes when an advisory is edited. */
const advisoryId = ({ url, source, title }: Advisory) =>
  /\bGHSA(?:-[0-9a-z]{4}){3}\b/i.exec(url ?? '')?.[0] ?? url ?? String(source ?? title ?? '');

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
  if (fix === undefined || fix === null) return undefined;
  if (fix === false) return 'No fix is available.';
  if (fix === true) return codeBlock('npm audit fix', 'sh');
  const breaking = fix.isSemVerMajor ? ', which is a breaking change' : '';
  return `${codeBlock('npm audit fix --force', 'sh')}\n\nThis installs ${inlineCode(`${fix.name}@${fix.version}`)}${breaking}.`;
}
