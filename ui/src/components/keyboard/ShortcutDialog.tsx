import { Kbd, Modal, Stack, Switch, Table, Text } from '@mantine/core';
import * as text from '#strings/components/keyboard.tsx';
import { useShortcutsOn } from './shortcuts.ts';

/** Keys with their actions. */
export type ShortcutList = readonly (readonly [keys: readonly string[], meaning: string])[];

interface Props {
  opened: boolean;
  onClose(): void;
  /** The shortcuts of this page. */
  shortcuts: ShortcutList;
  /** Shown below the shortcuts. */
  note?: string;
}

/** Lists the shortcuts of a page, and turns single-key shortcuts on and off. */
export function ShortcutDialog({ opened, onClose, shortcuts, note }: Props) {
  const [on, setOn] = useShortcutsOn();
  return (
    <Modal opened={opened} onClose={onClose} title={text.keyboardShortcuts} size="lg" yOffset="4vh">
      <Stack gap="sm">
        <Switch
          checked={on}
          onChange={({ currentTarget }) => setOn(currentTarget.checked)}
          label={text.singleKeys}
          description={text.whySingleKeys}
        />
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={130}>{text.keys}</Table.Th>
              <Table.Th>{text.action}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shortcuts.map(([keys, meaning]) => (
              <Table.Tr key={meaning}>
                <Table.Td>
                  {text.either(
                    keys.map((key) => ({ key, shown: <Kbd style={{ whiteSpace: 'nowrap' }}>{key}</Kbd> })),
                  )}
                </Table.Td>
                <Table.Td>{meaning}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {note && (
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        )}
      </Stack>
    </Modal>
  );
}
