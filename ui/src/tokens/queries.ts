import { queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';

/** The prefix of the keys of all lists of tokens. */
export const tokensKey = ({ slug }: OrgSession) => ['org', slug, 'tokens'] as const;

/** All tokens of an organization, including those of its projects. */
export const tokensQuery = (org: OrgSession) =>
  queryOptions({
    queryKey: [...tokensKey(org), 'all'],
    queryFn: async ({ signal }) => (await org.api.get('/tokens', { signal })).result,
  });

/** The tokens of a project. */
export const projectTokensQuery = (org: OrgSession, projectId: string) =>
  queryOptions({
    queryKey: [...tokensKey(org), projectId],
    queryFn: async ({ signal }) =>
      (await org.api.get('/projects/{projectId}/tokens', { params: { path: { projectId } }, signal })).result,
  });

/** The CI systems that send findings to a project without a token. Each is a token, too. */
export const ciTrustsQuery = (org: OrgSession, projectId: string) =>
  queryOptions({
    queryKey: [...tokensKey(org), projectId, 'ci'],
    queryFn: async ({ signal }) =>
      (await org.api.get('/projects/{projectId}/ci-trusts', { params: { path: { projectId } }, signal }))
        .result,
  });
