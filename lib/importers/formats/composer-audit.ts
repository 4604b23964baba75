import { z } from 'zod';
import { type Importer, ReportError, type Result, readList } from '../importer.ts';
import { vulnerabilityResult } from '../kinds/dependency.ts';
import { firstDocument } from '../read/report.ts';
import { fields, objects, requiredText, text } from '../read/schema.ts';
import { isObject } from '../read/values.ts';
import { relativePath, severityOf } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

const Advisory = z.object({
  ...fields(text, 'advisoryId', 'affectedVersions', 'title', 'cve', 'link', 'severity'),
  packageName: requiredText,
  sources: objects({ name: text, remoteId: text }),
});

/** `composer audit --format=json` */
export const composerAudit: Importer = {
  name: 'composer-audit',
  about: {
    tool: '[composer audit](https://getcomposer.org/doc/03-cli.md#audit)',
    command: '`composer audit --format=json > report.json`',
    versions: 'the report names no version: reports of 2026',
    identity: 'lock file, package, advisory',
    severity: '`severity`; medium if the advisory has none',
  },

  detects: (report) => {
    const document = firstDocument(report);
    if (!isObject(document) || 'metadata' in document) return false;
    const { advisories } = document;
    // PHP writes an empty object as a list.
    if (Array.isArray(advisories)) return advisories.length === 0;
    return isObject(advisories) && Object.values(advisories).every((group) => typeof group === 'object');
  },

  results(report, context) {
    const document = firstDocument(report);
    const advisories = document?.advisories;
    if (typeof advisories !== 'object' || advisories === null)
      throw new ReportError('The field “advisories” is missing', 'advisories');
    context.skip('ignored in composer.json', membersOf(document?.['ignored-advisories']).length);
    context.skip('abandoned packages are not vulnerable', Object.keys(document?.abandoned ?? {}).length);
    const file = relativePath('composer.lock', context);
    return readList(Advisory, membersOf(advisories), 'advisories', context).map((advisory) =>
      toResult(advisory, file),
    );
  },
};

/** The advisories by package. PHP writes a list with gaps as an object. */
const membersOf = (groups: unknown): unknown[] =>
  Object.values(groups ?? {}).flatMap((group) =>
    typeof group === 'object' && group !== null ? Object.values(group) : [group],
  );

function toResult(advisory: z.output<typeof Advisory>, file: string | undefined): Result {
  const { packageName: name, title, cve, link, sources, affectedVersions } = advisory;
  const ids = [...sources.map(({ remoteId }) => remoteId), /GHSA(?:-[0-9a-z]{4}){3}/.exec(link ?? '')?.[0]];
  return vulnerabilityResult({
    tool: 'composer-audit',
    entries: [advisory],
    identity: [name],
    id: advisory.advisoryId ?? cve ?? ids.find(Boolean) ?? title ?? 'Advisory',
    aliases: [cve, ...ids],
    name,
    summary: title,
    severity: severityOf(advisory.severity, 'medium'),
    file,
    description: {
      what: escapeMarkdown(title ?? ''),
      facts: { 'Vulnerable versions': affectedVersions },
      references: [link],
    },
  });
}
