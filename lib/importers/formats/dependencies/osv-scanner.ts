import { z } from 'zod';
import { firstDocument, upgrade, vulnerabilityTitle } from '../../dependency.ts';
import { fingerprintOf } from '../../identity.ts';
import { type Importer, read } from '../../importer.ts';
import { describeFinding, toStrings } from '../../markdown.ts';
import { isObject } from '../../schema.ts';
import { relativePath, severityOf, severityOfScore } from '../../support.ts';
import { cvssOfOsv, databaseSpecificOf, describeAdvisory, fixedVersions, Osv } from './osv.ts';

const text = z.string().nullish();
const list = <S extends z.ZodType>(item: S) => z.array(item).nullish();
const Analysis = z.record(z.string(), z.object({ called: z.boolean().nullish() })).nullish();

const Group = z.object({
  ids: list(z.string()),
  aliases: list(z.string()),
  max_severity: text,
  experimentalAnalysis: Analysis,
  experimental_analysis: Analysis,
});

const Package = z.object({
  package: z.object({ name: text, version: text, ecosystem: text, commit: text }),
  dependency_groups: list(z.string()),
  vulnerabilities: list(Osv),
  groups: list(Group),
});

const Document = z.object({
  results: z
    .array(z.object({ source: z.object({ path: text, type: text }).nullish(), packages: list(Package) }))
    .nullable(),
});

/** `osv-scanner scan … --format json` (1 and 2): a finding per advisory, also if several describe one vulnerability. */
export const osvScanner: Importer = {
  name: 'osv-scanner',
  about: {
    tool: '[OSV-Scanner](https://google.github.io/osv-scanner/)',
    command: '`osv-scanner --format json . > report.json`',
    versions: '1.0 to 2.2',
    identity: 'manifest, package, advisory group',
    severity: "CVSS, or the database's rating",
  },

  detects: (report) => {
    const { results, ...others } = firstDocument(report) ?? {};
    if (!Array.isArray(results)) return false;
    return results.length > 0
      ? isObject(results[0]) && Array.isArray(results[0].packages) && 'source' in results[0]
      : Object.keys(others).every((key) => key === 'experimental_config');
  },

  results(report, context) {
    const { results } = read(Document, firstDocument(report));
    return (results ?? []).flatMap(({ source, packages }) =>
      (packages ?? []).flatMap(({ package: { name, version, ecosystem, commit }, ...found }) =>
        (found.vulnerabilities ?? []).map((osv) => {
          const { id } = osv;
          const path = relativePath(source?.path, context);
          const group = found.groups?.find(({ ids }) => ids?.includes(id));
          const called = (group?.experimentalAnalysis ?? group?.experimental_analysis)?.[id]?.called;
          // Some databases have no rating, so the rating of any advisory in the group is used.
          const groupAdvisories = [
            osv,
            ...(found.vulnerabilities ?? []).filter((other) => group?.ids?.includes(other.id)),
          ];
          const cvss = groupAdvisories.map(cvssOfOsv).find(Boolean);
          const groupScore = Number.parseFloat(group?.max_severity ?? '');
          const score = cvss?.score ?? (Number.isNaN(groupScore) ? undefined : groupScore);
          const [severityWord] = groupAdvisories.flatMap((one) =>
            toStrings(databaseSpecificOf(one)?.severity),
          );
          const fixed = fixedVersions(osv, ecosystem ?? '', name ?? '');
          const { what, details, references, cwe, cve } = describeAdvisory(osv);
          return {
            // Without the version, so that an upgrade that does not fix the vulnerability keeps the finding.
            repeats: true,
            identify: () => fingerprintOf('osv-scanner', path, ecosystem, name, id),
            title: vulnerabilityTitle(
              id,
              name || path,
              version || commit?.slice(0, 12),
              osv.summary ?? osv.details,
            ),
            severity: severityOf(severityWord, score === undefined ? 'medium' : severityOfScore(score)),
            description: describeFinding({
              what,
              facts: {
                Package: name,
                Ecosystem: ecosystem,
                'Installed version': version,
                Commit: commit,
                'Fixed version': fixed.join(', '),
                Source: path,
                'Dependency groups': found.dependency_groups?.join(', '),
                Aliases: [...new Set([...(osv.aliases ?? []), ...(group?.aliases ?? [])])]
                  .filter((alias) => alias !== id)
                  .join(', '),
                'Vulnerable code is called': called === true ? 'yes' : called === false ? 'no' : undefined,
              },
              fix: upgrade(name, fixed),
              details,
              references: [`https://osv.dev/vulnerability/${id}`, ...references],
            }),
            cwe,
            cve,
            cvss_score: cvss?.score,
            cvss_vector: cvss?.vector,
            file: source?.type === 'git' || source?.path?.endsWith('/') ? undefined : path,
          };
        }),
      ),
    );
  },
};
