import { z } from 'zod';
import { upgrade, vulnerabilityTitle } from '../../dependency.ts';
import { fingerprintOf } from '../../identity.ts';
import { type Importer, type Report, read } from '../../importer.ts';
import { describeFinding, escapeMarkdown } from '../../markdown.ts';
import { cveOf } from '../../support.ts';

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

/** `pip-audit -f json`. Before 2.0, the report is the bare list of dependencies. */
export const pipAudit: Importer = {
  name: 'pip-audit',
  about: {
    tool: '[pip-audit](https://pypi.org/project/pip-audit/)',
    command: '`pip-audit -f json -o report.json`',
    versions: '1.0 to 2.9',
    identity: 'package, advisory',
    severity: 'medium: pip-audit rates nothing',
  },

  detects: (report) => {
    const dependencies = dependenciesOf(report);
    if (!Array.isArray(dependencies)) return false;
    const first = dependencies[0] as object | null | undefined;
    return first
      ? typeof first === 'object' && 'name' in first && ('vulns' in first || 'skip_reason' in first)
      : report.kind === 'json' && 'fixes' in (report.documents[0] as object);
  },

  results(report) {
    const isBareList = report.kind === 'json' && Array.isArray(report.documents[0]);
    const dependencies = read(z.array(Dependency), dependenciesOf(report), isBareList ? '' : 'dependencies');
    return dependencies.flatMap(({ name, version, vulns }) =>
      (vulns ?? []).map(({ id, aliases, fix_versions, description }) => ({
        // Without the version, so that an upgrade that does not fix the vulnerability keeps the finding.
        repeats: true,
        identify: () => fingerprintOf('pip-audit', name, id),
        title: vulnerabilityTitle(id, name, version, description),
        // pip-audit reports no severity.
        severity: 'medium' as const,
        description: describeFinding({
          // The description was Markdown, but pip-audit removed its line breaks.
          what: description && escapeMarkdown(description),
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
