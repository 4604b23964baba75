import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import type { ImportContext, Result } from '../importer.ts';
import { isMalicious, REMOVE_PACKAGE, readPart, upgrade, vulnerabilityTitle } from '../kinds/dependency.ts';
import {
  anything,
  fields,
  list,
  number,
  object,
  objects,
  requiredText,
  text,
  texts,
} from '../read/schema.ts';
import { cveOf, cvssOf, cweOf, severityOf, severityOfScore } from '../support.ts';
import { codeBlock, describeFinding, inlineCode, joined, sanitizeMarkdown } from '../text/markdown.ts';

const Issue = z.object({
  id: requiredText,
  ...fields(text, 'type', 'title', 'severity', 'severityWithCritical', 'description', 'license'),
  ...fields(text, 'packageName', 'moduleName', 'version', 'packageManager', 'nearestFixedInVersion'),
  ...fields(text, 'exploit', 'CVSSv3', 'dockerfileInstruction'),
  name: texts,
  /** A list of paths with `--group-issues`. */
  from: list(z.union([z.string(), z.array(z.string())])),
  upgradePath: list(z.unknown()),
  fixedIn: texts,
  cvssScore: number,
  cvssSources: objects({ type: text, vector: text, baseScore: number }),
  identifiers: object({ CVE: texts, CWE: texts }),
  references: objects({ url: text }),
});

export const Project = z.object({
  ...fields(text, 'error', 'path', 'projectName', 'displayTargetFile', 'targetFile', 'packageManager'),
  ...fields(anything, 'docker', 'vulnerabilities', 'infrastructureAsCodeIssues', 'applications'),
  filtered: object({ ignore: list(z.unknown()), patch: list(z.unknown()) }),
});

type Issue = z.output<typeof Issue>;
export type Project = z.output<typeof Project>;

/** Where a project is. */
export interface Place {
  /** The entries of the report that contain the project. */
  parents?: readonly unknown[];
  file: string | undefined;
  image: string | undefined;
  /** In an image, besides the packages of its operating system. */
  isApplication?: boolean;
}

/** The issues of a project. */
export function issuesOf(project: Project, place: Place, position: string, context: ImportContext): Result[] {
  context.skip('ignored in Snyk', project.filtered?.ignore.length ?? 0);
  context.skip('patched by Snyk', project.filtered?.patch.length ?? 0);
  const issues = readPart(Issue, project.vulnerabilities, position, context);
  return issues.map((issue) => toResult(issue, project, place));
}

function toResult(
  issue: Issue,
  project: Project,
  { parents = [], file, image, isApplication }: Place,
): Result {
  const { id, version, title, identifiers } = issue;
  const name = [issue.packageName, ...issue.name, issue.moduleName].find(Boolean);
  const isLicense = issue.type === 'license' || id.startsWith('snyk:lic:');
  const paths = pathsOf(issue);
  // If CVSS v4 exists, it is the primary source and the score does not belong to CVSSv3.
  const primary = issue.cvssSources.find(({ type }) => type === 'primary');
  const cvss = cvssOf(primary?.vector) ?? cvssOf(issue.CVSSv3);
  const score = primary?.baseScore ?? issue.cvssScore ?? cvss?.score;
  const { overview, remediation, details } = descriptionSections(issue.description ?? '');
  const [, direct, ...deeper] = paths[0] ?? [];
  const manager = issue.packageManager ?? project.packageManager;
  const problem = [
    name,
    id,
    // Without versions, so that an upgrade that does not fix the vulnerability keeps the finding, and without the first
    // element, the project itself. An entry that lists all paths is unique without them.
    ...(paths.length === 1 ? (paths[0] ?? []).slice(1).map(withoutVersion) : []),
  ];
  const isMalware = isMalicious(id) || /\bmalicious package\b/i.test(title ?? '');
  const identifyFormerly = (manifest: string | undefined) =>
    fingerprintOf(
      'snyk',
      manager,
      manifest,
      // The project name of a directory depends on the checkout. An image has no other name.
      !manifest || project.projectName?.includes('|') ? project.projectName : undefined,
      ...problem,
    );
  return {
    entries: [...parents, project, issue],
    ...(isApplication && image
      ? {
          identify: (manifest) => fingerprintOf('snyk', manager, image, manifest, ...problem),
          // The same path in two images had the same.
          identifyVaguely: identifyFormerly,
        }
      : { identify: identifyFormerly }),
    title: joined(
      [
        isLicense
          ? `License issue in ${joined([name, version], ' ')}: ${title ?? issue.license ?? id}`
          : vulnerabilityTitle(cveOf(...(identifiers?.CVE ?? [])) ?? id, name, version, title),
        // Distinguishes entries that differ only in the path.
        direct && deeper.length > 0 && `(by ${withoutVersion(direct)})`,
      ],
      ' ',
    ),
    rule_id: id,
    severity: isMalware
      ? 'critical'
      : severityOf(
          issue.severityWithCritical ?? issue.severity,
          severityOfScore(score || undefined, 'medium'),
        ),
    description: describeFinding({
      what:
        sanitizeMarkdown(overview) ||
        (isLicense ? `License: ${inlineCode(issue.license ?? title ?? id)}` : ''),
      facts: {
        'Snyk id': id,
        Package: name,
        'Installed version': version,
        'Fixed version': issue.fixedIn.join(', ') || issue.nearestFixedInVersion,
        License: issue.license,
        Project: project.projectName,
        Image: image,
        Manifest: file,
        'Dockerfile instruction': issue.dockerfileInstruction,
        'Exploit maturity': issue.exploit,
      },
      where: paths.length > 0 ? codeBlock(paths.map((path) => path.join(' > ')).join('\n')) : undefined,
      fix: isLicense
        ? remediation && sanitizeMarkdown(remediation)
        : isMalware
          ? REMOVE_PACKAGE
          : fixOf(issue, name, remediation),
      details: sanitizeMarkdown(details),
      references: [`https://security.snyk.io/vuln/${id}`, ...issue.references.map(({ url }) => url)],
    }),
    cwe: cweOf(...(identifiers?.CWE ?? [])),
    cve: cveOf(...(identifiers?.CVE ?? [])),
    cvss_score: score,
    cvss_vector: cvss?.vector,
    file,
  };
}

const pathsOf = ({ from }: Issue): string[][] => {
  const grouped = from.filter((part) => typeof part !== 'string');
  const single = from.filter((part) => typeof part === 'string');
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
  const first = upgradePath.find((part): part is string => typeof part === 'string' && part !== '');
  return joined(
    [
      first && `Upgrade to ${inlineCode(first)}, which brings a fixed version.`,
      sanitizeMarkdown(remediation) || upgrade(name, fixedIn.length > 0 ? fixedIn : [nearestFixedInVersion]),
    ],
    '\n\n',
  );
}
