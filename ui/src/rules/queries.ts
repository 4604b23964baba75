import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';

export type Rule = Schemas['Rule'];
export type RuleConditions = Rule['conditions'];
export type RuleActions = Rule['actions'];

/** The rules of an organization, in their order. */
export const rulesQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'rules'],
    queryFn: async ({ signal }) => (await api.get('/rules', { signal })).result.rules,
  });

/** The findings that a rule would change now: how many, and the newest ones. */
export const previewQuery = (
  { slug, api }: OrgSession,
  body: { conditions: RuleConditions; actions?: RuleActions },
) =>
  queryOptions({
    queryKey: ['org', slug, 'rule-preview', body],
    queryFn: async ({ signal }) => (await api.post('/rules/preview', { body, signal })).result,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
