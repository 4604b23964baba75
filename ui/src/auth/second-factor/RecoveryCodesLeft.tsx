import { Alert, Button, Group } from '@mantine/core';
import { Page } from '../../components/Page.tsx';

/** The number of recovery codes left, after one was used. */
export function RecoveryCodesLeft({ left, onContinue }: { left: number; onContinue: () => void }) {
  const few = left <= 2;
  return (
    <Page title="You are signed in">
      <Alert role="status" color={few ? 'red' : 'yellow'} title={leftInWords(left)}>
        The code that you used no longer works.
        {few && ' Generate new codes now. Without a code or your device you cannot sign in.'}
      </Alert>
      <Group justify="flex-end">
        <Button component="a" href="/profile/mfa" variant="default">
          Generate new codes
        </Button>
        <Button onClick={onContinue} autoFocus>
          Continue
        </Button>
      </Group>
    </Page>
  );
}

function leftInWords(left: number): string {
  if (left === 0) return 'This was your last recovery code';
  return left === 1 ? '1 recovery code is left' : `${left} recovery codes are left`;
}
