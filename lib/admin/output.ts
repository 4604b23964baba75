import type { RecountResult } from './counts.ts';
import { oneLine } from './error.ts';
import type { SchemaResult } from './migrations.ts';
import type { OrgSummary, SchemaState } from './orgs.ts';

/** Formats rows as aligned columns under a headline. */
export function table(headline: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headline, ...rows.map((row) => row.map(oneLine))];
  const widths = headline.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const onOff = (value: boolean): string => (value ? 'on' : 'off');
export const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

export function schemaText(version: number, state: SchemaState, latest: number): string {
  if (state === 'none') return 'none until the first write';
  return state === 'current' ? `${version} current` : `${version} ${state} (this version has ${latest})`;
}

export function orgTable(orgs: readonly OrgSummary[], latest: number): string {
  return table(
    ['SLUG', 'ID', 'PLAN', 'SCHEMA', 'CUSTOM DOMAIN', 'DELETED', 'NAME'],
    orgs.map((org) => [
      org.slug,
      org.id,
      org.plan,
      schemaText(org.schema_version, org.schema_state, latest),
      org.custom_domain ?? '-',
      org.deleted_at?.toISOString() ?? '-',
      org.name,
    ]),
  );
}

export function migrationLine(schema: string, { status, applied, failed_step, error }: SchemaResult): string {
  const done = applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do';
  if (status !== 'failed') return `${schema}: ${done}`;
  const before = applied.length > 0 ? `${done}; ` : '';
  return `${schema}: ${before}FAILED at ${failed_step ?? 'an unknown step'}: ${error}`;
}

/** A line for the organization and one for each corrected count. */
export function recountLines({ org, status, wrong, error }: RecountResult): string {
  if (status !== 'corrected') return `${org}: ${status === 'right' ? 'right' : `FAILED: ${error}`}`;
  const lines = wrong.map(({ of, project_id, severity, status, kept, counted }) => {
    const kind = [severity, status].filter((part) => part !== null).join(', ');
    return `  ${of} of project ${project_id}, ${kind}: ${kept} instead of ${counted}`;
  });
  return [`${org}: corrected`, ...lines].join('\n');
}

/** The suffix of a message about a command that changed nothing. */
export const unchanged = ({ changed }: { changed: boolean }) => (changed ? '' : ' already: nothing changed');
