import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, type Importer, type Result, readList } from '../importer.ts';
import {
  isMalicious,
  listIn,
  REMOVE_PACKAGE,
  readPart,
  upgrade,
  vulnerabilityTitle,
} from '../kinds/dependency.ts';
import { firstDocument } from '../read/report.ts';
import { anything, flag, list, object, optional, text, texts } from '../read/schema.ts';
import { isObject } from '../read/values.ts';
import { plainPath, relativePath } from '../support.ts';
import { describeFinding, inlineCode, joined } from '../text/markdown.ts';
import { cvssOfOsv, describeAdvisory, fixedVersions, Osv, severityOfOsv } from '../tools/osv.ts';

const Analysis = optional(z.record(z.string(), z.object({ called: flag })).nullable());

const Group = z.object({
  ids: texts,
  aliases: texts,
  max_severity: text,
  experimentalAnalysis: Analysis,
  experimental_analysis: Analysis,
});

const Package = z.object({
  package: z.object({ name: text, version: text, ecosystem: text, commit: text }),
  dependency_groups: texts,
  vulnerabilities: anything,
  groups: list(Group),
  /** Licenses that the options of the run do not allow. */
  license_violations: texts,
});

type Package = z.output<typeof Package>;

const Source = z.object({
  source: object({ path: text, type: text }),
  packages: anything,
});

/** Where a package was found. */
interface Place {
  /** The entry of the report. */
  entry: unknown;
  /** The manifest, directory or image layer. */
  path: string | undefined;
  file: string | undefined;
}

/** `osv-scanner scan … --format json` (1 and 2): a finding per advisory, also if several describe one vulnerability. */
export const osvScanner: Importer = {
  name: 'osv-scanner',
  about: {
    tool: '[OSV-Scanner](https://google.github.io/osv-scanner/)',
    command: '`osv-scanner --format json . > report.json`',
    versions: '1.9; other reports name no version',
    identity: 'manifest, package, advisory',
    severity: "the database's rating, or CVSS, or medium; critical for malicious packages",
  },

  detects: (report) => {
    const { results, ...others } = firstDocument(report) ?? {};
    if (!Array.isArray(results)) return false;
    return results.length > 0
      ? isObject(results[0]) && Array.isArray(results[0].packages) && 'source' in results[0]
      : Object.keys(others).every((key) => OTHER_FIELDS.has(key));
  },

  results(report, context) {
    const document = firstDocument(report);
    const isImage = isObject(document?.image_metadata);
    context.skip(
      'they are experimental findings of OSV-Scanner',
      [document?.experimental_generic_findings ?? []].flat().length,
    );
    const sources = readList(Source, listIn(document, 'results'), 'results', context);
    return sources.flatMap((entry, index) => {
      const { source, packages } = entry;
      const path = isImage ? plainPath(source?.path) : relativePath(source?.path, context);
      const isFolder = source?.type === 'git' || source?.path?.endsWith('/');
      const place = { entry, path, file: isFolder ? undefined : path };
      const position = `results.${index}.packages`;
      return readPart(Package, packages, position, context).flatMap((found, at) => [
        ...vulnerabilities(found, place, `${position}.${at}.vulnerabilities`, context),
        ...found.license_violations.map((license) => licenseViolation(license, found, place)),
      ]);
    });
  },
};

/** The fields of a report without results. */
const OTHER_FIELDS = new Set([
  'experimental_config',
  'experimental_generic_findings',
  'image_metadata',
  'license_summary',
]);

function vulnerabilities(found: Package, place: Place, position: string, context: ImportContext): Result[] {
  const { name, version, ecosystem, commit } = found.package;
  const advisories = readPart(Osv, found.vulnerabilities, position, context);
  return advisories.map((osv) => {
    const { id } = osv;
    const group = found.groups.find(({ ids }) => ids.includes(id));
    const called = (group?.experimentalAnalysis ?? group?.experimental_analysis)?.[id]?.called;
    // Some databases have no rating, so the rating of any advisory in the group is used.
    const related = [osv, ...advisories.filter((other) => group?.ids.includes(other.id))];
    const cvss = related.map(cvssOfOsv).find(Boolean);
    const groupScore = Number.parseFloat(group?.max_severity ?? '');
    const fixed = fixedVersions(osv, ecosystem ?? '', name ?? '');
    const { what, details, references, cwe, cve } = describeAdvisory(osv);
    return {
      entries: [place.entry, found, { osv, group }],
      // Without the version, so that an upgrade that does not fix the vulnerability keeps the finding.
      repeats: true,
      identify: (file) => fingerprintOf('osv-scanner', file ?? place.path, ecosystem, name, id),
      title: vulnerabilityTitle(
        id,
        name || place.path,
        version || commit?.slice(0, 12),
        osv.summary ?? osv.details,
      ),
      rule_id: id,
      severity: severityOfOsv(related, Number.isNaN(groupScore) ? undefined : groupScore) ?? 'medium',
      description: describeFinding({
        what,
        facts: {
          Package: name,
          Ecosystem: ecosystem,
          'Installed version': version,
          Commit: commit,
          'Fixed version': fixed.join(', '),
          Source: place.path,
          'Dependency groups': found.dependency_groups.join(', '),
          Aliases: [...new Set([...osv.aliases, ...(group?.aliases ?? [])])]
            .filter((alias) => alias !== id)
            .join(', '),
          'Vulnerable code is called': called === true ? 'yes' : called === false ? 'no' : undefined,
        },
        fix: isMalicious(id, ...osv.aliases) ? REMOVE_PACKAGE : upgrade(name, fixed),
        details,
        references: [`https://osv.dev/vulnerability/${id}`, ...references],
      }),
      cwe,
      cve,
      cvss_score: cvss?.score,
      cvss_vector: cvss?.vector,
      file: place.file,
    };
  });
}

function licenseViolation(license: string, found: Package, place: Place): Result {
  const { name, version, ecosystem } = found.package;
  return {
    entries: [place.entry, found, license],
    repeats: true,
    identify: (file) => fingerprintOf('osv-scanner', 'license', file ?? place.path, ecosystem, name, license),
    title: `License ${license} of ${joined([name, version], ' ')} is not allowed`,
    rule_id: license,
    severity: 'medium',
    description: describeFinding({
      what: `${inlineCode(name ?? 'The package')} is under the license ${inlineCode(license)}, which is not allowed.`,
      facts: { Package: name, Ecosystem: ecosystem, 'Installed version': version, Source: place.path },
    }),
    file: place.file,
  };
}
