import { z } from 'zod';
import { upgrade, vulnerabilityTitle } from '../../dependency.ts';
import { fingerprintOf } from '../../identity.ts';
import { type ImportContext, type Importer, type Report, ReportError, read } from '../../importer.ts';
import { codeBlock, describeFinding, inlineCode, sanitizeMarkdown } from '../../markdown.ts';
import { cveOf, cvssOf, cweOf, relativePath, severityOf, severityOfScore } from '../../support.ts';

const text = z.string().nullish();
const list = <S extends z.ZodType>(item: S) => z.array(item).nullish();

const Issue = z.object({
  id: z.string(),
  type: text,
  title: text,
  severity: text,
  severityWithCritical: text,
  description: text,
  license: text,
  name: z.union([z.string(), z.array(z.string())]).nullish(),
  packageName: text,
  moduleName: text,
  version: text,
  language: text,
  packageManager: text,
  // A list of paths with `--group-issues`.
  from: list(z.union([z.string(), z.array(z.string())])),
  upgradePath: list(z.union([z.string(), z.boolean(), z.null(), z.array(z.unknown())])),
  fixedIn: list(z.string()),
  nearestFixedInVersion: text,
  isPatchable: z.boolean().nullish(),
  exploit: text,
  CVSSv3: text,
  cvssScore: z.number().nullish(),
  cvssSources: list(z.object({ type: text, vector: text, baseScore: z.number().nullish() })),
  identifiers: z.object({ CVE: list(z.string()), CWE: list(z.string()) }).nullish(),
  references: list(z.object({ url: text })),
  dockerfileInstruction: text,
});

const Project = z.object({
  error: text,
  path: text,
  projectName: text,
  displayTargetFile: text,
  targetFile: text,
  packageManager: text,
  vulnerabilities: list(Issue),
  infrastructureAsCodeIssues: list(z.unknown()),
});

const WithApplications = Project.extend({ applications: list(Project) });

type Issue = z.output<typeof Issue>;
type Project = z.output<typeof Project>;

/** `snyk test --json` and `snyk container test --json`: an entry for each path to a vulnerable dependency. */
export const snyk: Importer = {
  name: 'snyk',
  about: {
    tool: '[Snyk](https://docs.snyk.io/snyk-cli)',
    command: '`snyk test --json > report.json`',
    versions: '1.600 to 1.1300',
    identity: 'manifest, package, issue',
    severity: '`severity`',
  },

  detects: (report) => {
    const [first] = projectsOf(report);
    if (typeof first !== 'object' || first === null) return false;
    if ('vulnerabilities' in first) {
      return Array.isArray(first.vulnerabilities) && ('ok' in first || 'packageManager' in first);
    }
    return 'ok' in first && 'error' in first;
  },

  results(report, context) {
    const projects = projectsOf(report);
    return projects.flatMap((part, index) => {
      const projectPath = projects.length > 1 ? String(index) : '';
      const { applications, ...project } = read(WithApplications, part, projectPath);
      return [project, ...(applications ?? [])].flatMap((one) => {
        const fieldPath = (name: string) => [projectPath, name].filter(Boolean).join('.');
        if (one.error) throw new ReportError(`Snyk could not test: ${one.error}`, fieldPath('error'));
        if (one.infrastructureAsCodeIssues?.length) {
          throw new ReportError(
            'Infrastructure as code issues are imported from SARIF only: run snyk iac test --sarif',
            fieldPath('infrastructureAsCodeIssues'),
          );
        }
        if (!one.vulnerabilities && !applications) {
          throw new ReportError('The field “vulnerabilities” is missing', fieldPath('vulnerabilities'));
        }
        const file = manifestOf(one, context);
        return (one.vulnerabilities ?? []).map((issue) => toFinding(issue, one, file));
      });
    });
  },
};

const projectsOf = (report: Report): unknown[] => (report.kind === 'json' ? report.documents.flat() : []);

/** The manifest relative to the workspace. Snyk names it relative to its working or scanned directory. */
function manifestOf({ path, displayTargetFile, targetFile }: Project, context: ImportContext) {
  const file = displayTargetFile ?? targetFile;
  const folder = path?.startsWith(`${context.directory}/`) ? relativePath(path, context) : undefined;
  return relativePath(folder && file && !file.startsWith(`${folder}/`) ? `${folder}/${file}` : file, context);
}

function toFinding(issue: Issue, project: Project, file: string | undefined) {
  const { id, version, title, identifiers } = issue;
  const name = [issue.packageName, issue.name, issue.moduleName].flat().find(Boolean) ?? undefined;
  const isLicense = issue.type === 'license' || id.startsWith('snyk:lic:');
  const paths = pathsOf(issue);
  // If CVSS v4 exists, it is the primary source and the score does not belong to CVSSv3.
  const primary = issue.cvssSources?.find(({ type }) => type === 'primary');
  const cvss = cvssOf(primary?.vector) ?? cvssOf(issue.CVSSv3);
  const score = primary?.baseScore ?? issue.cvssScore ?? cvss?.score;
  const { overview, remediation, details } = descriptionSections(issue.description ?? '');
  const [, direct, ...deeper] = paths[0] ?? [];
  return {
    identify: () =>
      fingerprintOf(
        'snyk',
        issue.packageManager ?? project.packageManager,
        file,
        // The project name of a directory depends on the checkout. An image has no other name.
        !file || project.projectName?.includes('|') ? project.projectName : undefined,
        name,
        id,
        // Without versions, so that an upgrade that does not fix the vulnerability keeps the finding, and without the
        // first element, the project itself. An entry that lists all paths is unique without them.
        ...(paths.length === 1 ? (paths[0] ?? []).slice(1).map(withoutVersion) : []),
      ),
    title: [
      isLicense
        ? `License issue in ${[name, version].filter(Boolean).join(' ')}: ${title ?? issue.license ?? id}`
        : vulnerabilityTitle(cveOf(...(identifiers?.CVE ?? [])) ?? id, name, version, title),
      // Distinguishes entries that differ only in the path.
      direct && deeper.length > 0 && `(by ${withoutVersion(direct)})`,
    ]
      .filter(Boolean)
      .join(' '),
    severity: severityOf(
      issue.severityWithCritical ?? issue.severity,
      score ? severityOfScore(score) : 'info',
    ),
    description: describeFinding({
      what:
        sanitizeMarkdown(overview) ||
        (isLicense ? `License: ${inlineCode(issue.license ?? title ?? id)}` : ''),
      facts: {
        'Snyk id': id,
        Package: name,
        'Installed version': version,
        'Fixed version': issue.fixedIn?.join(', ') || issue.nearestFixedInVersion,
        License: issue.license,
        Project: project.projectName,
        Manifest: file,
        'Dockerfile instruction': issue.dockerfileInstruction,
        'Exploit maturity': issue.exploit,
      },
      where: paths.length > 0 ? codeBlock(paths.map((path) => path.join(' > ')).join('\n')) : undefined,
      fix: isLicense ? remediation && sanitizeMarkdown(remediation) : fixOf(issue, name, remediation),
      details: sanitizeMarkdown(details),
      references: [`https://security.snyk.io/vuln/${id}`, ...(issue.references ?? []).map(({ url }) => url)],
    }),
    cwe: cweOf(...(identifiers?.CWE ?? [])),
    cve: cveOf(...(identifiers?.CVE ?? [])),
    cvss_score: score ?? undefined,
    cvss_vector: cvss?.vector,
    file,
  };
}

const pathsOf = ({ from }: Issue): string[][] => {
  const grouped = (from ?? []).filter((part) => typeof part !== 'string');
  const single = (from ?? []).filter((part) => typeof part === 'string');
  return [...(single.length > 0 ? [single] : []), ...grouped];
};

const withoutVersion = (dependency: string) => dependency.replace(/(?<=.)@[^@]*$/, '');

/** Splits the Markdown description into sections, without the references, which the report contains separately. */
function descriptionSections(description: string) {
  const sections = description.split(/^(?=## )/m);
  const select = (name: RegExp) => sections.filter((section) => name.test(section)).join('');
  return {
    overview: select(/^(?!## )|^## Overview/).replace(/^## Overview\s*/m, ''),
    remediation: select(/^## Remediation/)
      .replace(/^## Remediation\s*/, '')
      .trim(),
    details: select(/^## (?!Overview|Remediation|References)/).replace(/^## Details\s*/, ''),
  };
}

function fixOf(
  { upgradePath, fixedIn, nearestFixedInVersion }: Issue,
  name: string | undefined,
  remediation = '',
) {
  // The project can upgrade its direct dependency, the first string. `false` stands for the project.
  const first = (upgradePath ?? []).find((part): part is string => typeof part === 'string' && part !== '');
  return [
    first && `Upgrade to ${inlineCode(first)}, which brings a fixed version.`,
    sanitizeMarkdown(remediation) || upgrade(name, fixedIn?.length ? fixedIn : [nearestFixedInVersion]),
  ]
    .filter(Boolean)
    .join('\n\n');
}
