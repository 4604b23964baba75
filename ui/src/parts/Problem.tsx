import { Alert, Button, Center, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ServiceError } from '../api.ts';
import { Copy } from './Copy.tsx';
import { problemOf } from './problem.ts';

interface Props {
  error: unknown;
  onRetry?: () => void;
  /** It stands in place of a whole page. */
  page?: boolean;
}

/** What went wrong, what can be done, and what to tell whoever runs the server. */
export function Problem({ error, onRetry, page }: Props) {
  const { title } = problemOf(error);
  const alert = (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertTriangle />}
      title={title}
      styles={{
        title: { color: 'var(--mantine-color-error)' },
        message: { color: 'var(--mantine-color-text)' },
      }}
    >
      <Advice error={error} {...(onRetry && { onRetry })} />
    </Alert>
  );
  if (!page) return alert;
  return (
    <Center p="xl" mih="40vh">
      <Stack maw={520} w="100%">
        <title>{`${title} · Security findings`}</title>
        <VisuallyHidden component="h1">{title}</VisuallyHidden>
        {alert}
      </Stack>
    </Center>
  );
}

/** What can be done about an error, and its request id to be copied. */
export function Advice({ error, onRetry }: Pick<Props, 'error' | 'onRetry'>) {
  const { advice, action } = problemOf(error);
  const requestId = error instanceof ServiceError ? error.requestId : undefined;
  return (
    <Stack gap="xs">
      <Text size="sm" dir="auto">
        {advice}
      </Text>
      {requestId && (
        <Group gap={4}>
          <Text size="xs" c="dimmed">
            Request <code>{requestId}</code>
          </Text>
          <Copy value={requestId} label="Copy the request id" />
        </Group>
      )}
      {(action || onRetry) && (
        <Group gap="xs">
          {action && (
            <Button component="a" href={action.href} size="xs">
              {action.label}
            </Button>
          )}
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}
