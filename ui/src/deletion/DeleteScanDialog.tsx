import { Checkbox, Modal, Skeleton, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/deletion.tsx';
import { useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { type Deletion, scanPreviewQuery } from './queries.ts';

interface Props {
  opened: boolean;
  onClose(): void;
  id: string;
  /** Called once the deletion has started. */
  onDeleted(deletion: Deletion): Promise<void>;
}

/** Asks whether a scan is deleted, and whether with the findings that only this scan has reported. */
export function DeleteScanDialog({ opened, onClose, ...form }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.deleteThisScan}>
      <Form onClose={onClose} {...form} />
    </Modal>
  );
}

function Form({ id, onClose, onDeleted }: Omit<Props, 'opened'>) {
  const org = useOrg();
  const preview = useQuery(scanPreviewQuery(org, id));
  const [withFindings, setWithFindings] = useState(false);
  const findings = preview.data?.findings ?? 0;
  const removal = useMutation({
    mutationFn: async () => {
      const body = withFindings
        ? { with_findings: true, expected_count: findings }
        : { with_findings: false };
      const { result } = await org.api.post('/scans/{id}/delete', { params: { path: { id } }, body });
      await onDeleted(result);
    },
    // Another number of findings may be the reason.
    onError: () => preview.refetch(),
  });
  return (
    <DialogForm
      sending={{ submit: () => removal.mutate(), problem: removal.error, isPending: removal.isPending }}
      action={text.deleteScan}
      color="red"
      isReady={!removal.isPending}
      onCancel={onClose}
    >
      <Text size="sm">{withFindings ? text.scanAndFindingsAreGone : text.scanIsGone}</Text>
      {preview.isPending && <Skeleton h={44} />}
      {preview.error && <Problem error={preview.error} onRetry={preview.refetch} />}
      {preview.data && (
        <Checkbox
          label={text.withFindings(findings)}
          description={findings > 0 ? text.triagedAmong(preview.data.triaged) : text.noOwnFindings}
          checked={withFindings}
          disabled={findings === 0}
          onChange={(event) => setWithFindings(event.currentTarget.checked)}
        />
      )}
    </DialogForm>
  );
}
