import { Group, Text } from '@mantine/core';
import * as text from '#strings/shell.tsx';
import icon from '../icon.svg';

/** The logo of the service. */
export function Logo() {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src={icon} alt="" width={28} height={28} />
      <Text fw={600} visibleFrom="xs">
        {text.productName}
      </Text>
    </Group>
  );
}
