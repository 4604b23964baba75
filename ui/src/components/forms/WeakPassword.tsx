import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { warningOf } from '../../../../lib/accounts/passwords/warnings.ts';

/** The service's warning about a password that it has accepted. Nothing without a warning. */
export function WeakPassword({ message }: { message: string | undefined }) {
  const warning = warningOf(message);
  if (warning === undefined) return null;
  return (
    <Alert role="alert" color="yellow" icon={<IconAlertTriangle />} title="Your password is weak">
      {warning}
    </Alert>
  );
}
