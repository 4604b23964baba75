import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, type Importer, type Report, type Result, readList } from '../importer.ts';
import {
  folderParts,
  isMalicious,
  listIn,
  manifestIn,
  REMOVE_PACKAGE,
  upgrade,
  vulnerabilityTitle,
} from '../kinds/dependency.ts';
import { documentOf, firstDocument } from '../read/report.ts';
import { objects, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cveOf } from '../support.ts';
import { describeFinding, escapeMarkdown } from '../text/markdown.ts';
import { recordAll } from '../text/notices.ts';

const Dependency = z.object({
  name: requiredText,
  version: text,
  skip_reason: text,
  vulns: objects({ id: requiredText, fix_versions: texts, aliases: texts, description: text }),
});

type Dependency = z.output<typeof Dependency>;

/** The files that pip-audit can read, and those that usually declare what an audited environment contains. */
const MANIFESTS = [
  'requirements.txt',
  'pylock.toml',
  'pyproject.toml',
  'poetry.lock',
  'uv.lock',
  'Pipfile.lock',
  'setup.py',
];

/** `pip-audit -f json`. Before 2.0, the report is the bare list of dependencies. */
export const pipAudit: Importer = {
  name: 'pip-audit',
  about: {
    tool: '[pip-audit](https://pypi.org/project/pip-audit/)',
    command: '`pip-audit -f json -o report.json`',
    versions: '2.10; both layouts of 1 and 2',
    identity: 'folder, package, advisory',
    severity: 'medium, because pip-audit rates nothing; critical for malicious packages',
  },

  detects: (report) => {
    const document = documentOf(report);
    const dependencies = dependenciesOf(report);
    if (!Array.isArray(dependencies)) return false;
    if (dependencies.length > 0) {
      const [first] = dependencies;
      return isObject(first) && 'name' in first && ('vulns' in first || 'skip_reason' in first);
    }
    // The empty list without more is also written by other tools.
    return (
      isObject(document) && Object.keys(document).every((key) => ['dependencies', 'fixes'].includes(key))
    );
  },

  results(report, context) {
    const isBareList = Array.isArray(documentOf(report));
    const path = isBareList ? '' : 'dependencies';
    const list = isBareList ? dependenciesOf(report) : listIn(firstDocument(report), path);
    const dependencies = readList(Dependency, list, path, context);
    reportSkipped(dependencies, context);
    const file = manifestIn(MANIFESTS, context);
    return dependencies.flatMap((dependency) =>
      dependency.vulns.map((found): Result => {
        const { name, version } = dependency;
        const { id, aliases, fix_versions, description } = found;
        return {
          entries: [dependency, found],
          // Without the version, so that an upgrade that does not fix the vulnerability keeps the finding.
          repeats: true,
          identify: (manifest) => fingerprintOf('pip-audit', ...folderParts(manifest, context), name, id),
          // Two packages of a repository had the same.
          identifyVaguely: () => fingerprintOf('pip-audit', name, id),
          title: vulnerabilityTitle(id, name, version, description),
          rule_id: id,
          // pip-audit reports no severity.
          severity: isMalicious(id, ...aliases) ? ('critical' as const) : ('medium' as const),
          description: describeFinding({
            // The description was Markdown, but pip-audit removed its line breaks.
            what: description && escapeMarkdown(description),
            facts: {
              Package: name,
              'Installed version': version,
              'Fixed version': fix_versions.join(', '),
              Aliases: aliases.join(', '),
              Severity: isMalicious(id, ...aliases) ? 'malicious package' : 'not rated by pip-audit',
            },
            fix: isMalicious(id, ...aliases) ? REMOVE_PACKAGE : upgrade(name, fix_versions),
            references: [`https://osv.dev/vulnerability/${id}`],
          }),
          cve: cveOf(id, ...aliases),
          file,
        };
      }),
    );
  },
};

/** pip-audit ends with exit code 0 if it could not check a dependency. */
function reportSkipped(dependencies: readonly Dependency[], context: ImportContext): void {
  const skipped = dependencies.filter(({ skip_reason: reason }) => reason !== undefined);
  if (skipped.length > 0 && skipped.length === dependencies.length)
    context.error(`None of the ${skipped.length} dependencies was checked`);
  recordAll(
    context.error,
    skipped.map(({ name, skip_reason: reason }) => `${name} was not checked: ${reason || 'no reason given'}`),
    (count) => `${count} more dependencies were not checked`,
  );
}

function dependenciesOf(report: Report): unknown {
  const document = documentOf(report);
  return Array.isArray(document) ? document : property(document, 'dependencies');
}
