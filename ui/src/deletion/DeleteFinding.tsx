import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import * as text from '#strings/deletion.tsx';
import { useOrg } from '../app/session.ts';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { findingKey } from '../findings/finding-queries.ts';
import type { FindingFilter } from '../findings/list-queries.ts';
import { addressOf } from '../findings/views.ts';
import { refreshFindings } from '../triage/cache.ts';
import { DeleteMenu } from './DeleteMenu.tsx';

/** Deletes the finding of a page and returns to its list. */
export function DeleteFinding({ id, filter }: { id: string; filter: FindingFilter }) {
  const org = useOrg();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useConfirmed({
    title: text.deleteThisFinding,
    children: <Text size="sm">{text.findingIsGone}</Text>,
    confirm: text.deleteFinding,
    color: 'red',
    mutationFn: () => org.api.delete('/findings/{id}', { params: { path: { id } } }),
    onSuccess: async () => {
      showSuccess(text.findingDeleted);
      await navigate({
        to: '/o/$org/findings',
        params: { org: org.slug },
        search: addressOf(filter),
        replace: true,
      });
      queries.removeQueries({ queryKey: findingKey(org, id) });
    },
    onSettled: () => refreshFindings(queries, org),
  });
  if (!org.may('deleteFinding')) return null;
  return <DeleteMenu label={text.deleteFindingAsk} isBusy={remove.isPending} onDelete={remove.ask} />;
}
