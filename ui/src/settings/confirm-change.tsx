import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { openConfirm } from '../components/dialogs/confirm.ts';

interface Change {
  /** The name of the feature. */
  name: string;
  to: boolean;
  /** Whether the owner has MFA. Without it, `require_mfa` locks out the owner as well. */
  hasMfa: boolean;
  onConfirm: () => void;
}

/** Asks before a change with unexpected consequences. Other changes take effect immediately. */
export function confirmChange({ name, to, hasMfa, onConfirm }: Change): void {
  if (name === 'org_wide_tokens' && !to) {
    openConfirm({
      title: 'Turn off org-wide API tokens?',
      children: (
        <Text size="sm">
          Nobody can create new org-wide tokens. Existing tokens keep working until you revoke them on the API
          tokens page.
        </Text>
      ),
      labels: { confirm: 'Turn off', cancel: 'Cancel' },
      onConfirm,
    });
  } else if (name === 'require_mfa' && to) {
    openConfirm({
      title: 'Require MFA for every member?',
      children: <RequireMfa hasMfa={hasMfa} />,
      labels: { confirm: hasMfa ? 'Require MFA' : 'Require MFA anyway', cancel: 'Cancel' },
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
        Members without multi-factor authentication lose access until they set it up. Agents and their tokens
        keep working.
      </Text>
      {!hasMfa && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title="You would lose access as well"
          styles={{ title: { color: 'var(--mantine-color-error)' } }}
        >
          <Stack gap="xs" align="flex-start">
            <Text size="sm">
              Your own account has no MFA. Set it up first. You return to this page afterwards.
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
