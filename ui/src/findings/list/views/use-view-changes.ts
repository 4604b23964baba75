import { useMutation, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/findings/list/views.tsx';
import { useOrg } from '../../../app/session.ts';
import { showError, showSuccess } from '../../../components/errors/toasts.ts';
import { type SavedView, savedViewsQuery } from './saved-views.ts';

/** Changes saved views, and reads the list of views again. */
export function useViewChanges() {
  const org = useOrg();
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: savedViewsQuery(org).queryKey });
  const create = useMutation({
    mutationFn: async (body: { name: string; query: string; shared: boolean }) =>
      (await org.api.post('/views', { body })).result,
    onSuccess: ({ name, shared }) => showSuccess(shared ? text.savedAndShared(name) : text.saved(name)),
    onSettled,
  });
  const update = useMutation({
    mutationFn: async ({
      id,
      ...body
    }: { id: string } & Partial<Pick<SavedView, 'name' | 'query' | 'shared'>>) =>
      (await org.api.patch('/views/{id}', { params: { path: { id } }, body })).result,
    onError: showError,
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id }: SavedView) => org.api.delete('/views/{id}', { params: { path: { id } } }),
    onSuccess: (_, { name }) => showSuccess(text.deleted(name)),
    onError: showError,
    onSettled,
  });
  return { create, update, remove };
}
