import { Alert, Button, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconAlertTriangle } from '@tabler/icons-react';

interface Change {
  /** Of the feature. */
  name: string;
  to: boolean;
  /** Whether the owner has MFA, without which `require_mfa` locks them out too. */
  hasMfa: boolean;
  onConfirm: () => void;
}

/** Asks before a switch whose consequences one may not think of; the others are switched at once. */
export function askToSwitch({ name, to, hasMfa, onConfirm }: Change): void {
  if (name === 'org_wide_tokens' && !to) {
    modals.openConfirmModal({
      title: 'Switch off org-wide API tokens?',
      children: (
        <Text size="sm">
          No new ones can be made. Those that exist go on working until you revoke them on the page of API
          tokens.
        </Text>
      ),
      labels: { confirm: 'Switch off', cancel: 'Cancel' },
      onConfirm,
    });
  } else if (name === 'require_mfa' && to) {
    modals.openConfirmModal({
      title: 'Require MFA of every member?',
      children: <RequireMfa hasMfa={hasMfa} />,
      labels: { confirm: hasMfa ? 'Require MFA' : 'Require MFA all the same', cancel: 'Cancel' },
      confirmProps: hasMfa ? {} : { color: 'red' },
      onConfirm,
    });
  } else {
    onConfirm();
  }
}

function RequireMfa({ hasMfa }: { hasMfa: boolean }) {
  return (
    <Stack>
      <Text size="sm">
        Members without multi-factor authentication are refused at once, until they have set it up. Agents and
        their tokens go on working.
      </Text>
      {!hasMfa && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title="This locks you out, too"
          styles={{ title: { color: 'var(--mantine-color-error)' } }}
        >
          <Stack gap="xs" align="flex-start">
            <Text size="sm">
              Your own account has no MFA. Set it up first; you come back here afterwards.
            </Text>
            <Button
              component="a"
              size="xs"
              href={`/profile/mfa?return_to=${encodeURIComponent(location.href)}`}
            >
              Set up MFA
            </Button>
          </Stack>
        </Alert>
      )}
    </Stack>
  );
}
