import { Alert, Button, Stack, Text } from '@mantine/core';
import * as text from '#strings/settings.ts';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { IconAlertTriangle } from '../icons/icons.ts';

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
      title: text.turnOffOrgWideTokens,
      children: <Text size="sm">{text.existingTokensWork}</Text>,
      labels: { confirm: text.turnOff, cancel: text.cancel },
      onConfirm,
    });
  } else if (name === 'require_mfa' && to) {
    openConfirm({
      title: text.requireMfaOfAll,
      children: <RequireMfa hasMfa={hasMfa} />,
      labels: { confirm: hasMfa ? text.requireMfa : text.requireMfaAnyway, cancel: text.cancel },
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
      <Text size="sm">{text.membersLoseAccess}</Text>
      {!hasMfa && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title={text.youLoseAccess}
          styles={{ title: { color: 'var(--mantine-color-error)' } }}
        >
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{text.noOwnMfa}</Text>
            <Button
              component="a"
              size="xs"
              href={`/profile/mfa?return_to=${encodeURIComponent(location.href)}`}
            >
              {text.setUpMfa}
            </Button>
          </Stack>
        </Alert>
      )}
    </Stack>
  );
}
