import { inArray } from 'drizzle-orm';
import { type GroupKey, groupFindings } from '../../../db/findings/lists/groups.ts';
import { FINDING_STATUSES, SEVERITIES } from '../../../db/schema/values.ts';
import { readAtOnce } from '../../../db/stream.ts';
import { conditionsOf } from '../../findings/filter/conditions.ts';
import type { FindingFilter } from '../../findings/filter/parameters.ts';
import { ListedFinding } from '../../resources.ts';
import { count, shown, timestamp, z } from '../../schema.ts';
import { ok } from '../answer.ts';
import type { InOrgCall, OrgCall } from '../call.ts';
import { type Page, resultInfo } from './pages.ts';
import { search } from './search.ts';

const countsOf = <Name extends string>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, count(1)])) as unknown as Record<Name, z.ZodInt>);

export const FindingGroup = z
  .object({
    key: z
      .string()
      .nullable()
      .openapi({
        type: 'string',
        nullable: true,
        example: 'CVE-2026-12345',
        description:
          'The `rule_id` (the title of findings without one), the CVE, the file, or the id of the project. Null for findings without one.',
      } as object),
    label: shown('CVE-2026-12345', 'For people: the name of a project, otherwise the key.'),
    count: count(8),
    severity: z.enum(SEVERITIES).openapi({ description: 'The worst.' }),
    severities: countsOf(SEVERITIES),
    statuses: countsOf(FINDING_STATUSES),
    regressed: count(0).openapi({ description: 'How many have regressed.' }),
    newest_at: timestamp().openapi({ description: 'When the newest finding was first reported.' }),
    finding: ListedFinding,
  })
  .openapi('FindingGroup', {
    description:
      '`finding` is the first finding of the group: regressed ones come first, then the most severe, then the newest.',
  });

const UNNAMED: Record<GroupKey, string> = {
  rule: 'No rule',
  cve: 'No CVE',
  file: 'No file',
  project: 'No project',
};

const decoder = new TextDecoder();

/** Answers a page of groups of an org's findings. */
export async function answerGroups(
  call: InOrgCall & Pick<OrgCall, 'user' | 'reach'>,
  by: GroupKey,
  { omit, ...filter }: FindingFilter & { omit?: 'description' | undefined },
  page: Page,
) {
  const { db, org, services, sql } = call;
  const where = conditionsOf(call, filter);
  const window = { limit: page.perPage, offset: page.offset };
  const { total, groups } = await search(call, (limits) =>
    services.reads.once(org, (client) => groupFindings(client, org.tables, { by, where, window }, limits)),
  );
  const ids = `{${groups.map(({ first }) => first).join(',')}}`;
  const view = { as: 'json', brief: omit === 'description' } as const;
  const rows = await readAtOnce(sql, services.findingPages.ofIds(org, view, ids));
  const findings = new Map(
    rows.map((row): [string, z.output<typeof ListedFinding>] => {
      const finding = JSON.parse(decoder.decode(row));
      return [finding.id, finding];
    }),
  );
  const names = by === 'project' ? await namesOf(groups.flatMap(({ key }) => key ?? [])) : new Map();
  const result = groups.flatMap(({ newestAt: newest_at, first, ...group }) => {
    const finding = findings.get(first);
    const label = names.get(group.key) ?? group.key ?? UNNAMED[by];
    return finding ? { ...group, label, newest_at, finding } : [];
  });
  return ok(result, { result_info: resultInfo(page, total) });

  async function namesOf(projectIds: string[]): Promise<Map<string, string>> {
    const { projects: p } = org.tables;
    const found = await db.select({ id: p.id, name: p.name }).from(p).where(inArray(p.id, projectIds));
    return new Map(found.map(({ id, name }) => [id, name]));
  }
}
