import { Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import * as text from '#strings/shell.tsx';
import { useOrg } from '../app/session.ts';
import { dateTime } from '../components/time/Time.tsx';

/** The first lines on paper: the organization and the time. */
export function PrintHead() {
  const { org } = useOrg();
  // Renders again when the user prints, so that the time is that of the paper.
  useMediaQuery('print');
  return (
    <header className="print-only">
      <Text size="xs" c="dimmed" pb={4} mb="sm" style={{ borderBottom: '1px solid' }}>
        {text.printed(
          <strong>
            <bdi>{org.name}</bdi>
          </strong>,
          dateTime(new Date()),
        )}
      </Text>
    </header>
  );
}
