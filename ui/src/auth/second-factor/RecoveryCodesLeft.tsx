import { Alert, Button, Group } from '@mantine/core';
import { Page } from '../../components/Page.tsx';

/** After a recovery code was used: how many there are still. */
export function RecoveryCodesLeft({ left, onContinue }: { left: number; onContinue: () => void }) {
  const few = left <= 2;
  return (
    <Page title="You are signed in">
      <Alert role="status" color={few ? 'red' : 'yellow'} title={leftInWords(left)}>
        The code you used does not work again.
        {few && ' Make new ones before you need them: without a code and your device you cannot log in.'}
      </Alert>
      <Group justify="flex-end">
        <Button component="a" href="/profile/mfa" variant="default">
          Make new codes
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
