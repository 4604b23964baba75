import { Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
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
        <strong>
          <bdi>{org.name}</bdi>
        </strong>{' '}
        · Security findings · {dateTime(new Date())}
      </Text>
    </header>
  );
}
