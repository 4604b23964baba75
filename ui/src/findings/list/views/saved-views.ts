import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../../app/api.ts';
import type { Me, OrgSession } from '../../../app/session.ts';

export type SavedView = Schemas['View'];

/** The saved views that the user sees, by name. */
export const savedViewsQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'views'],
    queryFn: async ({ signal }) => (await api.get('/views', { signal })).result,
    staleTime: 60_000,
  });

/** Whether the user may change or delete a view, or make it private: it is theirs, or they are admin and it is shared. */
export const mayChangeView = (
  { role, isLimited }: Pick<OrgSession, 'role' | 'isLimited'>,
  { user }: Pick<Me, 'user'>,
  view: SavedView,
): boolean =>
  view.owner_id === user.id || (view.shared && !isLimited && (role === 'owner' || role === 'admin'));

/** Whether the user may also change what a view shows, or its name. Viewers cannot change what others see. */
export const mayEditView = (org: Pick<OrgSession, 'role'>, view: SavedView): boolean =>
  !view.shared || mayShare(org);

/** Whether the user may share views. */
export const mayShare = ({ role }: Pick<OrgSession, 'role'>): boolean => role !== 'viewer';
