import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import * as text from '#strings/deletion.tsx';
import { useOrg } from '../app/session.ts';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { type Scan, scanQuery, scansKey } from '../scans/queries.ts';
import { DeleteMenu } from './DeleteMenu.tsx';

/** Deletes the scan of a page and returns to the list of scans. */
export function DeleteScan({ scan: { id, status } }: { scan: Scan }) {
  const org = useOrg();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useConfirmed({
    title: text.deleteThisScan,
    children: <Text size="sm">{text.scanIsGone}</Text>,
    confirm: text.deleteScan,
    color: 'red',
    mutationFn: () => org.api.delete('/scans/{id}', { params: { path: { id } } }),
    onSuccess: async () => {
      showSuccess(text.scanDeleted);
      await navigate({ to: '/o/$org/scans', params: { org: org.slug }, search: {}, replace: true });
      queries.removeQueries({ queryKey: scanQuery(org, id).queryKey });
      await queries.invalidateQueries({ queryKey: scansKey(org) });
    },
  });
  if (!org.may('deleteScan') || status === 'running') return null;
  return <DeleteMenu label={text.deleteScanAsk} isBusy={remove.isPending} onDelete={remove.ask} />;
}
