import { z } from 'zod';
import { type Importer, type Result, readRequired } from '../importer.ts';
import { upgrade, vulnerabilityResult } from '../kinds/dependency.ts';
import { documentOf, firstDocument, hasKind } from '../read/report.ts';
import { fields, object, requiredText, text, texts } from '../read/schema.ts';
import { cvssOf, relativePath, severityOfScore } from '../support.ts';
import { sanitizeMarkdown } from '../text/markdown.ts';

const Vulnerability = z.object({
  advisory: z.object({
    id: requiredText,
    ...fields(text, 'title', 'description', 'cvss', 'url'),
    ...fields(texts, 'aliases', 'references', 'categories'),
  }),
  versions: object({ patched: texts }),
  package: z.object({ name: requiredText, version: text }),
});

/** `cargo audit --json` */
export const cargoAudit: Importer = {
  name: 'cargo-audit',
  about: {
    tool: '[cargo audit](https://rustsec.org)',
    command: '`cargo audit --json > report.json`',
    versions: 'the report names no version: reports of 2021 and 2026',
    identity: 'lock file, crate, advisory',
    severity: 'CVSS; high if the advisory has none',
  },

  detects: (report) =>
    hasKind(documentOf(report), { database: 'object', lockfile: 'object', vulnerabilities: 'object' }),

  results(report, context) {
    const document = firstDocument(report);
    const vulnerabilities = readRequired(Vulnerability, document, 'vulnerabilities.list', context);
    for (const [kind, warnings] of Object.entries(document?.warnings ?? {}))
      context.skip(`cargo audit only warns: ${kind}`, Array.isArray(warnings) ? warnings.length : 1);
    const file = relativePath('Cargo.lock', context);
    return vulnerabilities.map((found) => toResult(found, file));
  },
};

function toResult(found: z.output<typeof Vulnerability>, file: string | undefined): Result {
  const { advisory, versions, package: crate } = found;
  const cvss = cvssOf(advisory.cvss);
  return vulnerabilityResult({
    tool: 'cargo-audit',
    entries: [found],
    identity: [crate.name],
    id: advisory.id,
    aliases: advisory.aliases,
    name: crate.name,
    version: crate.version,
    summary: advisory.title,
    severity: severityOfScore(cvss?.score, 'high'),
    cvss,
    file,
    description: {
      what: sanitizeMarkdown(advisory.description ?? ''),
      facts: {
        'Fixed version': versions?.patched.join(', '),
        Category: advisory.categories.join(', '),
        Severity: cvss ? undefined : 'not rated by the advisory',
      },
      fix: upgrade(crate.name, versions?.patched).replace(/, or later\.$/, '.'),
      references: [
        `https://rustsec.org/advisories/${advisory.id}.html`,
        advisory.url,
        ...advisory.references,
      ],
    },
  });
}
