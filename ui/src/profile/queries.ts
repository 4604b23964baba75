import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { api } from '../app/api.ts';
import { sessionQuery } from '../app/session.ts';

/** The e-mail addresses of the user, newest first. */
export const emailsQuery = queryOptions({
  queryKey: ['profile', 'emails'],
  queryFn: async ({ signal }) => (await api.get('/profile/emails', { signal })).result.emails,
});

/** The MFA devices of the user, and whether MFA is on. */
export const mfaQuery = queryOptions({
  queryKey: ['profile', 'mfa'],
  queryFn: async ({ signal }) => (await api.get('/profile/mfa/devices', { signal })).result,
});

/** The passkeys of the user, newest first. */
export const passkeysQuery = queryOptions({
  queryKey: ['profile', 'passkeys'],
  queryFn: async ({ signal }) => (await api.get('/profile/passkeys', { signal })).result.passkeys,
});

/** The number of recovery codes left. */
export const recoveryCodesQuery = queryOptions({
  queryKey: ['profile', 'recovery-codes'],
  queryFn: async ({ signal }) => (await api.get('/profile/mfa/recovery-codes', { signal })).result,
});

/** The sessions of the user. */
export const sessionsQuery = queryOptions({
  queryKey: ['profile', 'sessions'],
  queryFn: async ({ signal }) => (await api.get('/profile/sessions', { signal })).result.sessions,
});

/** Reads the data of the user again after a change. */
export function useRefreshUser(): () => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['profile'] }),
      queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    ]);
    await router.invalidate();
  };
}
