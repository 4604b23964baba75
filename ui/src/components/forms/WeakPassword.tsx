import { Alert } from '@mantine/core';
import * as text from '#strings/components/forms.ts';
import { warningOf } from '../../../../lib/accounts/passwords/warnings.ts';
import { IconAlertTriangle } from '../../icons/icons.ts';

/** The warning of the service about a password that it accepted. */
export function WeakPassword({ message }: { message: string | undefined }) {
  const warning = warningOf(message);
  if (warning === undefined) return null;
  return (
    <Alert role="alert" color="yellow" icon={<IconAlertTriangle />} title={text.weakPassword}>
      {warning}
    </Alert>
  );
}
