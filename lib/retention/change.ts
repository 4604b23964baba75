import type { Db } from '../../db/client.ts';
import { KEEP_ALL, type RetentionDays, readRetention, writeRetention } from '../../db/retention/settings.ts';
import type { Org } from '../orgs/directory.ts';
import { type Actor, mailControl } from '../orgs/notices.ts';
import { inOrgQuota } from '../quotas.ts';

const LABELS = { resolved_findings: 'Resolved findings', scans: 'Scans' } as const;

/** Replaces the days, and tells all owners if something is kept shorter than before, because it is removed for good. @returns the days of before */
export const changeRetention = (
  context: { db: Db; org: Org },
  actor: Actor,
  days: RetentionDays,
): Promise<RetentionDays> =>
  inOrgQuota(context, async (tx) => {
    const before = (await readRetention(tx, context.org.id)) ?? KEEP_ALL;
    await writeRetention(tx, context.org.id, days);
    const kinds = Object.keys(LABELS) as (keyof typeof LABELS)[];
    if (!kinds.some((kind) => (days[kind] ?? Infinity) < (before[kind] ?? Infinity))) return before;
    const facts = kinds.map((kind): [string, string] => [
      `${LABELS[kind]} kept for`,
      `${inDays(days[kind])}, was ${inDays(before[kind])}`,
    ]);
    await mailControl(tx, actor, context.org.id, 'retention_shortened', facts);
    return before;
  });

const inDays = (days: number | null) => (days === null ? 'ever' : days === 1 ? '1 day' : `${days} days`);
