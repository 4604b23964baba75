import { Group, Text } from '@mantine/core';
import * as text from '#strings/components/errors.ts';
import { ServiceError } from '../../app/api.ts';
import { Copy } from '../Copy.tsx';

/** The ID of the request that failed, for the administrator. */
export function RequestId({ error }: { error: unknown }) {
  const id = error instanceof ServiceError ? error.requestId : undefined;
  if (id === undefined) return null;
  return (
    <Group gap={4}>
      <Text size="xs" c="dimmed">
        {text.request} <code>{id}</code>
      </Text>
      <Copy value={id} label={text.copyRequestId} />
    </Group>
  );
}
