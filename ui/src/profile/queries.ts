import { queryOptions } from '@tanstack/react-query';
import { api } from '../app/api.ts';

/** One's e-mail addresses, newest first. */
export const emailsQuery = queryOptions({
  queryKey: ['profile', 'emails'],
  queryFn: async ({ signal }) => (await api.get('/profile/emails', { signal })).result.emails,
});

/** One's MFA devices, and whether MFA is on. */
export const mfaQuery = queryOptions({
  queryKey: ['profile', 'mfa'],
  queryFn: async ({ signal }) => (await api.get('/profile/mfa/devices', { signal })).result,
});

/** How many recovery codes are left. */
export const recoveryCodesQuery = queryOptions({
  queryKey: ['profile', 'recovery-codes'],
  queryFn: async ({ signal }) => (await api.get('/profile/mfa/recovery-codes', { signal })).result,
});

/** Where one is signed in. */
export const sessionsQuery = queryOptions({
  queryKey: ['profile', 'sessions'],
  queryFn: async ({ signal }) => (await api.get('/profile/sessions', { signal })).result.sessions,
});
