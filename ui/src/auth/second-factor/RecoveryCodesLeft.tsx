import { Alert, Button, Group } from '@mantine/core';
import * as text from '#strings/auth/second-factor.tsx';
import { Page } from '../../components/Page.tsx';

/** The number of recovery codes left, after one was used. */
export function RecoveryCodesLeft({ left, onContinue }: { left: number; onContinue: () => void }) {
  const few = left <= 2;
  return (
    <Page title={text.signedIn}>
      <Alert
        role="status"
        color={few ? 'red' : 'yellow'}
        title={left === 0 ? text.lastCodeUsed : text.codesLeft(left)}
      >
        {few ? text.generateNow : text.codeIsUsed}
      </Alert>
      <Group justify="flex-end">
        <Button component="a" href="/profile/mfa" variant="default">
          {text.generateCodes}
        </Button>
        <Button onClick={onContinue} autoFocus>
          {text.continueHere}
        </Button>
      </Group>
    </Page>
  );
}
