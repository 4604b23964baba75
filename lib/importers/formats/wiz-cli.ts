import { z } from 'zod';
import { identifyCode } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import { type ImportContext, type Importer, type Result, read, readList } from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { distinct, failedCheck, fixedVersions, vulnerablePackage } from '../kinds/resources.ts';
import { documentOf } from '../read/report.ts';
import { anything, fields, number, object, objects, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';
import { plainPath, relativePath, severityOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { describeFinding, escapeMarkdown, formatLocation } from '../text/markdown.ts';

const unknown = anything;
const Vulnerability = z.object({
  name: requiredText,
  ...fields(text, 'severity', 'fixedVersion', 'source', 'description', 'hasExploit', 'hasCisaKevExploit'),
  score: number,
});
const Package = z.object({
  ...fields(text, 'name', 'version', 'path', 'detectionMethod'),
  vulnerabilities: unknown,
});
const Secret = z.object({
  ...fields(text, 'description', 'path', 'type', 'severity', 'snippet'),
  lineNumber: number,
  contains: objects({ name: text }),
});
const RuleMatch = z.object({
  rule: z.object({ id: text, name: text }),
  severity: text,
  matches: objects({
    ...fields(text, 'resourceName', 'fileName', 'matchContent', 'expected', 'found', 'fileType'),
    remediationInstructions: text,
    lineNumber: number,
  }),
});
const Document = z.object({
  status: object({ state: text, verdict: text }),
  scanOriginResource: object({ __typename: text, name: text }),
  result: z.record(z.string(), z.unknown()),
});

/** `wizcli dir|docker|iac scan --output report.json,json` */
export const wizCli: Importer = {
  name: 'wiz-cli',
  about: {
    tool: '[Wiz CLI](https://docs.wiz.io)',
    command: '`wizcli dir scan --path . --output report.json,json` (or `docker`, `iac`)',
    versions: 'the report names no version: reports of 2024',
    identity: 'package, path and vulnerability; rule, file and resource; or file and line of a secret',
    severity: '`severity`; high for secrets',
  },

  detects: (report) =>
    /^CICD\w*ScanResult$/.test(String(property(documentOf(report), 'result', '__typename'))),

  category: (report) =>
    nameIn(report, 'scanOriginResource', '__typename') === 'CICDScanOriginContainerImage'
      ? imageName(nameIn(report, 'scanOriginResource', 'name') ?? '')
      : undefined,

  results(report, context) {
    const document = read(Document, documentOf(report));
    const { result, status, scanOriginResource: origin } = document;
    if (/^(?:ERROR|FAILED|CANCELLED)$/i.test(status?.state ?? ''))
      context.error(`The scan of Wiz ended as ${status?.state?.toLowerCase()}`);
    const failedQueries = Number(property(result.scanStatistics, 'queriesExecutionFailed') ?? 0);
    if (failedQueries > 0) context.error(`${failedQueries} queries of Wiz failed`);
    const image =
      origin?.__typename === 'CICDScanOriginContainerImage' ? imageName(origin.name ?? '') : undefined;
    const pathOf = (path: string | undefined) =>
      // The paths of a directory scan start with a slash, but are relative to the directory.
      image === undefined ? relativePath(path?.replace(/^\//, ''), context) : plainPath(path);
    const packages = ['osPackages', 'libraries', 'applications', 'cpes'].flatMap((name) =>
      readList(Package, result[name], `result.${name}`, context),
    );
    const results = [
      ...packages.flatMap((found) => vulnerabilities(found, image, pathOf, context)),
      ...readList(RuleMatch, result.ruleMatches, 'result.ruleMatches', context).flatMap((match) =>
        misconfigurations(match, pathOf, context),
      ),
      ...readList(Secret, result.secrets, 'result.secrets', context).map((found) =>
        secret(found, image, pathOf, context),
      ),
    ];
    for (const name of ['dataFindings', 'hostConfiguration'])
      if (result[name]) context.skip(`${name} of Wiz`, [result[name]].flat().length);
    return results;
  },
};

type PathOf = (path: string | undefined) => string | undefined;

function vulnerabilities(
  found: z.output<typeof Package>,
  image: string | undefined,
  pathOf: PathOf,
  context: ImportContext,
): Result[] {
  return readList(Vulnerability, found.vulnerabilities, 'vulnerabilities', context).map((vulnerability) =>
    vulnerablePackage({
      tool: 'wiz-cli',
      entries: [found, vulnerability],
      id: vulnerability.name,
      name: found.name,
      version: found.version,
      fixed: fixedVersions(vulnerability.fixedVersion),
      artifact: image,
      path: image === undefined ? undefined : found.path,
      severity: vulnerability.severity,
      details: vulnerability.description,
      score: vulnerability.score || undefined,
      facts: {
        'Found as': found.detectionMethod?.toLowerCase(),
        Exploit: vulnerability.hasExploit,
        'Known exploited (CISA)': vulnerability.hasCisaKevExploit,
      },
      references: [vulnerability.source],
      file: image === undefined ? pathOf(found.path) : undefined,
    }),
  );
}

function misconfigurations(
  found: z.output<typeof RuleMatch>,
  pathOf: PathOf,
  context: ImportContext,
): Result[] {
  const { rule, severity, matches } = found;
  return matches.map((match) => {
    const [file, line] = [pathOf(match.fileName), match.lineNumber];
    const id = rule.id ?? rule.name ?? 'rule';
    const resource = maskCredentials(match.resourceName ?? '');
    const result = failedCheck({
      tool: 'wiz-cli',
      entries: [found, match],
      id,
      name: rule.name,
      resource,
      severity: severityOf(severity),
      message: distinct(
        match.found && `Found: ${match.found}.`,
        match.expected && `Expected: ${match.expected}.`,
      ).join('\n'),
      fix: match.remediationInstructions,
      facts: { 'File type': match.fileType },
      snippet: match.matchContent,
      file,
      line,
    });
    return {
      ...result,
      title: rule.name ?? id,
      identify: identifyCode(
        'wiz-cli',
        ['rule', id, match.resourceName],
        { file, line, code: match.matchContent },
        context,
      ),
    };
  });
}

function secret(
  found: z.output<typeof Secret>,
  image: string | undefined,
  pathOf: PathOf,
  context: ImportContext,
): Result {
  const [file, line] = [pathOf(found.path), found.lineNumber];
  const what = maskCredentials(found.description ?? found.contains[0]?.name ?? 'Secret').replace(
    /-{3}REDACTED-{3}/g,
    '********',
  );
  return {
    entries: [found],
    identify: identifyCode(
      'wiz-cli',
      ['secret', image, found.type, ...sourceIdentity(found.description ?? '')],
      { file, line },
      context,
    ),
    title: `Secret in ${file ?? 'the scanned files'}: ${what}`,
    rule_id: found.type ?? 'secret',
    severity: severityOf(found.severity, 'high'),
    description: describeFinding({
      what: escapeMarkdown(what),
      facts: {
        Type: found.type?.replaceAll('_', ' ').toLowerCase(),
        Location: formatLocation(file, line),
        Image: image,
      },
      fix: 'Revoke the secret and issue a new one, because the history of the repository and the layers of the image keep it. Then remove it.',
    }),
    cwe: 'CWE-798',
    file,
    line,
  };
}
