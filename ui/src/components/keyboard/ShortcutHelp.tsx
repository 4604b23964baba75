import { Kbd, Modal, Stack, Switch, Table, Text } from '@mantine/core';
import { useShortcutsOn } from './shortcuts.ts';

/** Keys, and what they do. */
export type ShortcutList = readonly (readonly [keys: readonly string[], meaning: string])[];

interface Props {
  opened: boolean;
  onClose(): void;
  /** Of this page. */
  shortcuts: ShortcutList;
}

/** The keys of a page, and whether single ones are to do anything. */
export function ShortcutHelp({ opened, onClose, shortcuts }: Props) {
  const [on, setOn] = useShortcutsOn();
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg" yOffset="4vh">
      <Stack gap="sm">
        <Switch
          checked={on}
          onChange={({ currentTarget }) => setOn(currentTarget.checked)}
          label="Single-key shortcuts"
          description="Switch them off if you dictate, or press keys by accident. This browser remembers it."
        />
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={130}>Keys</Table.Th>
              <Table.Th>What they do</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shortcuts.map(([keys, meaning]) => (
              <Table.Tr key={meaning}>
                <Table.Td>
                  {keys.map((key, i) => (
                    <span key={key}>
                      {i > 0 && ' or '}
                      <Kbd>{key}</Kbd>
                    </span>
                  ))}
                </Table.Td>
                <Table.Td>{meaning}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text size="sm" c="dimmed">
          The arrow keys, Enter, Space and Escape always work in the list.
        </Text>
      </Stack>
    </Modal>
  );
}
