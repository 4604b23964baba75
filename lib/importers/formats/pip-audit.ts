import { z } from 'zod';
import { upgrade, vulnerabilityTitle } from '../dependency.ts';
import { type Importer, type Report, read } from '../importer.ts';
import { describeFinding, plain } from '../markdown.ts';
import { cveOf, fingerprintOf } from '../support.ts';

const text = z.string().nullish();

const Dependency = z.object({
  name: z.string(),
  version: text,
  vulns: z
    .array(
      z.object({
        id: z.string(),
        fix_versions: z.array(z.string()).nullish(),
        aliases: z.array(z.string()).nullish(),
        description: text,
      }),
    )
    .nullish(),
});

/** `pip-audit -f json`; before 2.0 the dependencies were all there was. */
export const pipAudit: Importer = {
  name: 'pip-audit',

  detects: (report) => {
    const dependencies = dependenciesOf(report);
    if (!Array.isArray(dependencies)) return false;
    const first = dependencies[0] as object | null | undefined;
    return first
      ? typeof first === 'object' && 'name' in first && ('vulns' in first || 'skip_reason' in first)
      : report.kind === 'json' && 'fixes' in (report.documents[0] as object);
  },

  findings(report) {
    const isBare = report.kind === 'json' && Array.isArray(report.documents[0]);
    const dependencies = read(z.array(Dependency), dependenciesOf(report), isBare ? '' : 'dependencies');
    return dependencies.flatMap(({ name, version, vulns }) =>
      (vulns ?? []).map(({ id, aliases, fix_versions, description }) => ({
        // Without the version: after an upgrade that does not help it is the same finding.
        fingerprint: fingerprintOf('pip-audit', name, id),
        title: vulnerabilityTitle(id, name, version, description),
        // It rates nothing.
        severity: 'medium' as const,
        description: describeFinding({
          // Markdown once, but pip-audit has taken the ends of the lines.
          what: description && plain(description),
          facts: {
            Package: name,
            'Installed version': version,
            'Fixed version': fix_versions?.join(', '),
            Aliases: aliases?.join(', '),
            Severity: 'not rated by pip-audit',
          },
          fix: upgrade(name, fix_versions),
          references: [`https://osv.dev/vulnerability/${id}`],
        }),
        cve: cveOf(id, ...(aliases ?? [])),
      })),
    );
  },
};

function dependenciesOf(report: Report): unknown {
  const [document] = report.kind === 'json' ? report.documents : [];
  return Array.isArray(document) ? document : (document as { dependencies?: unknown } | null)?.dependencies;
}
