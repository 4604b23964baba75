import { z } from 'zod';
import { upgrade, vulnerabilityTitle } from '../dependency.ts';
import { type ImportContext, type Importer, type Report, ReportError, read } from '../importer.ts';
import { code, describeFinding, inlineCode, markdown } from '../markdown.ts';
import {
  cveOf,
  cvssOf,
  cweOf,
  fingerprintOf,
  relativePath,
  severityOf,
  severityOfScore,
} from '../support.ts';

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
  // Several paths with `--group-issues`.
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

/** `snyk test --json` and `snyk container test --json`: an entry for each way a dependency comes in. */
export const snyk: Importer = {
  name: 'snyk',

  detects: (report) => {
    const [first] = projectsOf(report);
    if (typeof first !== 'object' || first === null) return false;
    if ('vulnerabilities' in first) {
      return Array.isArray(first.vulnerabilities) && ('ok' in first || 'packageManager' in first);
    }
    return 'ok' in first && 'error' in first;
  },

  findings(report, context) {
    const projects = projectsOf(report);
    return projects.flatMap((part, index) => {
      const place = projects.length > 1 ? String(index) : '';
      const { applications, ...project } = read(WithApplications, part, place);
      return [project, ...(applications ?? [])].flatMap((one) => {
        const at = (name: string) => [place, name].filter(Boolean).join('.');
        if (one.error) throw new ReportError(`Snyk could not test: ${one.error}`, at('error'));
        if (one.infrastructureAsCodeIssues?.length) {
          throw new ReportError(
            'Issues of infrastructure as code are read from SARIF (snyk iac test --sarif)',
            at('infrastructureAsCodeIssues'),
          );
        }
        if (!one.vulnerabilities && !applications) {
          throw new ReportError('There are no vulnerabilities', at('vulnerabilities'));
        }
        const file = manifestOf(one, context);
        return (one.vulnerabilities ?? []).map((issue) => toFinding(issue, one, file));
      });
    });
  },
};

const projectsOf = (report: Report): unknown[] => (report.kind === 'json' ? report.documents.flat() : []);

/** From the workspace on: the manifest is named from where Snyk ran, or from the folder that it was given. */
function manifestOf({ path, displayTargetFile, targetFile }: Project, context: ImportContext) {
  const file = displayTargetFile ?? targetFile;
  const folder = path?.startsWith(`${context.workspace}/`) ? relativePath(path, context) : undefined;
  return relativePath(folder && file && !file.startsWith(`${folder}/`) ? `${folder}/${file}` : file, context);
}

function toFinding(issue: Issue, project: Project, file: string | undefined) {
  const { id, version, title, identifiers } = issue;
  const name = [issue.packageName, issue.name, issue.moduleName].flat().find(Boolean) ?? undefined;
  const isLicense = issue.type === 'license' || id.startsWith('snyk:lic:');
  const paths = pathsOf(issue);
  // Where there is a version 4 it is the primary one, and CVSSv3 is not what the score is of.
  const primary = issue.cvssSources?.find(({ type }) => type === 'primary');
  const cvss = cvssOf(primary?.vector) ?? cvssOf(issue.CVSSv3);
  const score = primary?.baseScore ?? issue.cvssScore ?? cvss?.score;
  const { overview, remediation, details } = partsOf(issue.description ?? '');
  const [, direct, ...deeper] = paths[0] ?? [];
  return {
    fingerprint: fingerprintOf(
      'snyk',
      issue.packageManager ?? project.packageManager,
      file,
      // A folder has its name from the checkout; an image has only that.
      !file || project.projectName?.includes('|') ? project.projectName : undefined,
      name,
      id,
      // Without versions: after an upgrade that does not help it is the same finding. And without what comes first,
      // which is the project itself. Where an entry has all paths they may change, and do not tell it from others.
      ...(paths.length === 1 ? (paths[0] ?? []).slice(1).map(withoutVersion) : []),
    ),
    title: [
      isLicense
        ? `License issue in ${[name, version].filter(Boolean).join(' ')}: ${title ?? issue.license ?? id}`
        : vulnerabilityTitle(cveOf(...(identifiers?.CVE ?? [])) ?? id, name, version, title),
      // One of several entries that are else alike.
      direct && deeper.length > 0 && `(by ${withoutVersion(direct)})`,
    ]
      .filter(Boolean)
      .join(' '),
    severity: severityOf(
      issue.severityWithCritical ?? issue.severity,
      score ? severityOfScore(score) : 'info',
    ),
    description: describeFinding({
      what: markdown(overview) || (isLicense ? `License: ${inlineCode(issue.license ?? title ?? id)}` : ''),
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
      where: paths.length > 0 ? code(paths.map((path) => path.join(' > ')).join('\n')) : undefined,
      fix: isLicense ? remediation && markdown(remediation) : fixOf(issue, name, remediation),
      details: markdown(details),
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
  const several = (from ?? []).filter((part) => typeof part !== 'string');
  const one = (from ?? []).filter((part) => typeof part === 'string');
  return [...(one.length > 0 ? [one] : []), ...several];
};

const withoutVersion = (dependency: string) => dependency.replace(/(?<=.)@[^@]*$/, '');

/** Descriptions are Markdown in sections; the references are in the report beside them. */
function partsOf(description: string) {
  const sections = description.split(/^(?=## )/m);
  const of = (name: RegExp) => sections.filter((section) => name.test(section)).join('');
  return {
    overview: of(/^(?!## )|^## Overview/).replace(/^## Overview\s*/m, ''),
    remediation: of(/^## Remediation/)
      .replace(/^## Remediation\s*/, '')
      .trim(),
    details: of(/^## (?!Overview|Remediation|References)/).replace(/^## Details\s*/, ''),
  };
}

function fixOf(
  { upgradePath, fixedIn, nearestFixedInVersion }: Issue,
  name: string | undefined,
  remediation = '',
) {
  // The first of its own dependencies is what the project can change; false stands for the project.
  const first = (upgradePath ?? []).find((part): part is string => typeof part === 'string' && part !== '');
  return [
    first && `Upgrade to ${inlineCode(first)}, which brings a fixed version.`,
    markdown(remediation) || upgrade(name, fixedIn?.length ? fixedIn : [nearestFixedInVersion]),
  ]
    .filter(Boolean)
    .join('\n\n');
}
