import { useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/findings/list/views.tsx';
import { useOrg } from '../../../app/session.ts';
import { useAction } from '../../../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../../../components/errors/toasts.ts';
import { type SavedView, savedViewsQuery } from './saved-views.ts';

/** Changes saved views, and reads the list of views again. */
export function useViewChanges() {
  const org = useOrg();
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: savedViewsQuery(org).queryKey });
  const update = useAction({
    mutationFn: async ({
      id,
      ...body
    }: { id: string } & Partial<Pick<SavedView, 'name' | 'query' | 'shared'>>) =>
      (await org.api.patch('/views/{id}', { params: { path: { id } }, body })).result,
    onSettled,
  });
  const remove = useAction({
    mutationFn: ({ id }: SavedView) => org.api.delete('/views/{id}', { params: { path: { id } } }),
    onSuccess: (_, { name }) => showSuccess(text.deleted(name)),
    onSettled,
  });
  return { update, remove };
}
