import type { Db } from '../../db/client.ts';
import { type RetentionDays, readRetention, writeRetention } from '../../db/retention/settings.ts';
import type { Org } from '../orgs/directory.ts';
import { type Actor, mailControl } from '../orgs/notices.ts';
import { inOrgQuota } from '../quotas.ts';

const LABELS = { resolved_findings: 'Resolved findings', scans: 'Scans' } as const;

/** Replaces the days, and tells all owners if something is kept shorter than before, because it is removed for good. */
export const changeRetention = (
  context: { db: Db; org: Org },
  actor: Actor,
  days: RetentionDays,
): Promise<void> =>
  inOrgQuota(context, async (tx) => {
    const before = await readRetention(tx, context.org.id);
    await writeRetention(tx, context.org.id, days);
    const kinds = Object.keys(LABELS) as (keyof typeof LABELS)[];
    if (!kinds.some((kind) => (days[kind] ?? Infinity) < (before?.[kind] ?? Infinity))) return;
    const facts = kinds.map((kind): [string, string] => [
      `${LABELS[kind]} kept for`,
      `${inDays(days[kind])}, was ${inDays(before?.[kind] ?? null)}`,
    ]);
    await mailControl(tx, actor, context.org.id, 'retention_shortened', facts);
  });

const inDays = (days: number | null) => (days === null ? 'ever' : days === 1 ? '1 day' : `${days} days`);
