import type { Sql } from '../../db/pool/query.ts';
import { type ScanRow, toResource } from '../../db/resources.ts';
import { type Gate as GateRow, gatedScan, MAX_GATE_FINDINGS, readGate } from '../../db/scans/gate.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { FINDING_STATUSES, SEVERITIES, type Severity } from '../../db/schema/values.ts';
import { count, id, optional, shown, text, z } from '../schema.ts';

/** The parameters of a gate. */
export const GateQuery = z.object({
  fail_on: z.enum(SEVERITIES).default('high').openapi({
    description: 'The lowest severity that fails the gate.',
  }),
  base_ref: optional(
    text({ max: 2_048, example: 'main' }).openapi({
      description:
        'The ref to compare with. Default: `target.base_ref` of the scan, otherwise the default branch of the project. For the ref of the scan itself, its latest comparable scan of another commit.',
    }),
  ),
});

/** A finding in a list of findings to look at. */
export const findingShape = {
  ...{ title: shown('SQL injection in search'), severity: z.enum(SEVERITIES) },
  ...{ status: z.enum(FINDING_STATUSES), source: shown('semgrep').optional() },
  ...{ file: shown('src/search.ts').optional(), line: z.int().optional().openapi({ example: 44 }) },
};

const gateWith = <Id extends z.ZodType>(findingId: Id) =>
  z.object({
    passed: z.boolean().openapi({ example: false }),
    fail_on: z.enum(SEVERITIES),
    base: z
      .object({
        ref: shown('main').nullable(),
        scan_id: shown('01890a5d-ac96-774b-bcce-b302099a8057'),
        commit: shown('4b825dc642cb6eb9a060e54bf8d69288fbee4904').nullable(),
      })
      .nullable()
      .openapi({ description: 'Null if there is nothing to compare with: then all findings are new.' }),
    counts: z.object(Object.fromEntries(SEVERITIES.map((severity) => [severity, count(0)]))).openapi({
      description: 'New findings that fail the gate.',
    }),
    total: count(1),
    findings: z
      .array(z.object({ id: findingId, ...findingShape }))
      .openapi({ description: `At most ${MAX_GATE_FINDINGS}, the most severe first.` }),
  });

/** The answer of a gate. */
export const Gate = gateWith(id()).openapi('Gate');

/** The gate of a scan that is not made. */
export const PreviewGate = gateWith(
  id().optional().openapi({ description: 'Absent for a finding that is not stored.' }),
).openapi('PreviewGate');

/** The severities that fail a gate. */
export const failingSeverities = (failOn: Severity): readonly Severity[] =>
  SEVERITIES.slice(0, SEVERITIES.indexOf(failOn) + 1);

/** A gate as it is shown. */
export function toGate(failOn: Severity, { base, counts, findings }: GateRow): z.output<typeof Gate> {
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  return {
    passed: total === 0,
    fail_on: failOn,
    base,
    counts,
    total,
    findings: findings.map(toResource) as never,
  };
}

/** Compares a scan with its base. */
export async function gateOf(
  { sql, org: { tables } }: { sql: Sql; org: { tables: OrgTables } },
  scan: ScanRow,
  { fail_on, base_ref }: z.output<typeof GateQuery>,
): Promise<z.output<typeof Gate>> {
  const gated = gatedScan(tables, scan, base_ref);
  return toGate(fail_on, await readGate(sql, tables, gated, failingSeverities(fail_on)));
}
