import { type Api, must, type TestOrg } from '../support/api/api.ts';

/** A rule as the API shows it. */
export interface Rule {
  id: string;
  name: string;
  enabled: boolean;
  conditions: Record<string, string[]>;
  actions: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

export const IN_TESTS = { path: ['**/test/**'] };
export const IGNORE = { status: 'false_positive', reason: 'used_in_tests', note: 'Only in tests.' };

/** Creates a rule as the owner. */
export const createRule = async (api: Api, org: TestOrg, fields: object = {}): Promise<Rule> => {
  const body = { name: 'Tests', conditions: IN_TESTS, actions: IGNORE, ...fields };
  return must(await api.post('/rules', { ...org.asOwner, body }));
};

type Entry = Record<'kind' | 'by' | 'from' | 'to' | 'reason' | 'note', string | undefined>;

/** The activity of a finding, oldest first, in brief. */
export async function activityOf(api: Api, org: TestOrg, id: string): Promise<Entry[]> {
  const entries = must(await api.get(`/findings/${id}/activity`, org.asOwner));
  return entries.toReversed().map(
    // biome-ignore lint/suspicious/noExplicitAny: as the API answers
    ({ kind, actor, from, to, reason, note }: any) => ({
      kind,
      by: actor.name ?? actor.type,
      from,
      to,
      reason,
      note,
    }),
  );
}
