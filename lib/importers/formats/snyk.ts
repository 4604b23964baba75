import { type ImportContext, type Importer, type Report, ReportError, readList } from '../importer.ts';
import { imageName, readPart } from '../kinds/dependency.ts';
import { documentsOf } from '../read/report.ts';
import { text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { onlyName } from '../scanned.ts';
import { isInWorkspace, plainPath, relativePath } from '../support.ts';
import { joined } from '../text/markdown.ts';
import { issuesOf, Project } from '../tools/snyk-issues.ts';

/** `snyk test --json` and `snyk container test --json`: an entry for each path to a vulnerable dependency. */
export const snyk: Importer = {
  name: 'snyk',
  about: {
    tool: '[Snyk](https://docs.snyk.io/snyk-cli)',
    command: '`snyk test --json > report.json`',
    versions: 'the report names no version: reports of 2018 to 2023',
    identity: 'manifest or image, package, issue, path to the package',
    severity: '`severity`; critical for malicious packages',
  },

  detects: (report) => {
    const [first] = projectsOf(report);
    if (!isObject(first)) return false;
    if ('vulnerabilities' in first) {
      return Array.isArray(first.vulnerabilities) && ('ok' in first || 'packageManager' in first);
    }
    return ('ok' in first && ('error' in first || 'applications' in first)) || isFailure(first);
  },

  category: (report) =>
    onlyName(
      projectsOf(report).map((project) => imageName(text.parse(property(project, 'projectName')) ?? '')),
    ),

  results(report, context) {
    const parts = projectsOf(report);
    const projects = readList(Project, parts, '', context);
    const failures: ReportError[] = [];
    const results = projects.flatMap((project, index) => {
      const at = parts.length > 1 ? String(index) : '';
      const position = (name: string) => joined([at, name], '.');
      const failure = failureOf(project);
      if (failure) {
        failures.push(new ReportError(failure.message, position(failure.field)));
        return [];
      }
      const applications = readPart(Project, project.applications, position('applications'), context);
      const image = imageOf(project);
      const manifest = image
        ? // The Dockerfile
          relativePath(project.displayTargetFile ?? project.targetFile, context)
        : manifestOf(project, context);
      return [
        ...issuesOf(project, { file: manifest, image }, position('vulnerabilities'), context),
        ...applications.flatMap((application, number) => {
          const file = image
            ? plainPath(application.displayTargetFile ?? application.targetFile)
            : manifestOf(application, context);
          return issuesOf(
            application,
            { parents: [project], file, image, isApplication: true },
            position(`applications.${number}.vulnerabilities`),
            context,
          );
        }),
      ];
    });
    const [first] = failures;
    if (first && failures.length === projects.length) throw first;
    for (const { message } of failures) context.error(message);
    return results;
  },
};

const projectsOf = (report: Report): unknown[] => documentsOf(report).flat();

/** The error document of the command line itself. */
const isFailure = (document: Record<string, unknown>) =>
  typeof document.error === 'string' &&
  typeof document.code === 'string' &&
  document.code.startsWith('SNYK-');

function failureOf(project: Project): { message: string; field: string } | undefined {
  const { error, path, vulnerabilities, applications, infrastructureAsCodeIssues } = project;
  const where = path ? ` ${path}` : '';
  if (error !== undefined) return { message: `Snyk could not test${where}: ${error}`, field: 'error' };
  if (Array.isArray(infrastructureAsCodeIssues) && infrastructureAsCodeIssues.length > 0)
    return {
      message: 'Infrastructure as code issues are imported from SARIF only: run snyk iac test --sarif',
      field: 'infrastructureAsCodeIssues',
    };
  if (!Array.isArray(vulnerabilities) && !Array.isArray(applications))
    return { message: 'The field “vulnerabilities” is missing', field: 'vulnerabilities' };
  return undefined;
}

/** The name of a scanned image without the tag. */
const imageOf = ({ docker, projectName }: Project): string | undefined =>
  docker || projectName?.startsWith('docker-image|') ? imageName(projectName ?? '') : undefined;

/** The manifest relative to the workspace. Snyk names it relative to its working or scanned directory. */
function manifestOf({ path, displayTargetFile, targetFile }: Project, context: ImportContext) {
  const file = displayTargetFile ?? targetFile;
  const folder = isInWorkspace(path, context)
    ? relativePath(path, { ...context, pathPrefix: undefined })
    : undefined;
  return relativePath(folder && file && !file.startsWith(`${folder}/`) ? `${folder}/${file}` : file, context);
}
