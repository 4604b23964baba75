import { Alert, Button, Center, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { windowTitle } from '#strings/app.ts';
import * as text from '#strings/components/errors.ts';
import { ServiceError } from '../../app/api.ts';
import { IconAlertTriangle } from '../../icons/icons.ts';
import { Copy } from '../Copy.tsx';
import { isFinal, problemOf } from './problem.ts';

interface Props {
  error: unknown;
  onRetry?: () => void;
  /** A further action. */
  action?: ReactNode;
}

/** An error: what happened, what to do, and the request ID for the administrator. */
export function Problem({ error, ...others }: Props) {
  const { title } = problemOf(error);
  return (
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
      <Advice error={error} {...others} />
    </Alert>
  );
}

/** An error in place of a page. */
export function ProblemPage(props: Props) {
  const { title } = problemOf(props.error);
  return (
    <Center p={{ base: 'md', sm: 'xl' }} mih="40vh">
      <Stack maw={520} w="100%">
        <title>{windowTitle(title)}</title>
        <VisuallyHidden component="h1">{title}</VisuallyHidden>
        <Problem {...props} />
      </Stack>
    </Center>
  );
}

/** An error in place of the window, without a shell. */
export const ProblemWindow = (props: Props) => (
  <main>
    <ProblemPage {...props} />
  </main>
);

/** The advice for an error, with its request ID. */
export function Advice({ error, onRetry: retry, action: other }: Props) {
  const onRetry = isFinal(error) ? undefined : retry;
  const { advice, action } = problemOf(error);
  return (
    <Stack gap="xs">
      <Text size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {advice}
      </Text>
      <RequestId error={error} />
      {(action || onRetry || other) && (
        <Group gap="xs">
          {action && (
            <Button component="a" href={action.href} size="xs">
              {action.label}
            </Button>
          )}
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {text.tryAgain}
            </Button>
          )}
          {other}
        </Group>
      )}
    </Stack>
  );
}

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
