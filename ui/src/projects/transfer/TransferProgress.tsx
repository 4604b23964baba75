import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/projects/transfer.tsx';
import type { Schemas } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { showError, showSuccess } from '../../components/errors/toasts.ts';
import { transferQuery } from '../queries.ts';

/** How far a transfer is, and the button that cancels it. */
export function TransferProgress({ transfer }: { transfer: Schemas['ProjectTransfer'] }) {
  const { project_id: id, organization, state, copied, findings } = transfer;
  const org = useOrg();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => org.api.delete('/projects/{slug}/transfer', { params: { path: { slug: id } } }),
    onSuccess: () => showSuccess(text.transferCancelled),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: transferQuery(org, { id }).queryKey }),
  });
  const steps = { waiting: text.waiting, cancelling: text.cancelling };
  return (
    <Stack gap="xs" maw="44rem">
      <Text size="sm">
        {text.transferTo(<bdi>{organization.name}</bdi>)} {text.noChangesMeanwhile}
      </Text>
      <Progress value={findings === 0 ? 0 : (100 * copied) / findings} animated aria-label={text.progress} />
      <Text size="sm" c="dimmed" role="status">
        {state === 'waiting' || state === 'cancelling' ? steps[state] : text.copiedOf(copied, findings)}
      </Text>
      <Group>
        <Button
          variant="default"
          size="sm"
          onClick={() => cancel.mutate()}
          loading={cancel.isPending}
          disabled={state === 'cancelling'}
        >
          {text.cancelTransfer}
        </Button>
      </Group>
    </Stack>
  );
}
