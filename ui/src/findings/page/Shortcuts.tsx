import { ActionIcon, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKeyboard } from '@tabler/icons-react';
import { useOrg } from '../../app/session.ts';
import { ShortcutHelp, type ShortcutList } from '../../components/keyboard/ShortcutHelp.tsx';
import { useShortcuts } from '../../components/keyboard/shortcuts.ts';
import { TRIAGE_SHORTCUTS } from '../../triage/shortcuts.ts';

const WALKING: ShortcutList = [
  [['j'], 'Next finding in the list'],
  [['k'], 'Previous finding in the list'],
];
const DECIDING: ShortcutList = [
  [['a'], 'Assign to me'],
  [['e'], 'Edit with note, assignee or date'],
  [['m'], 'Write a comment'],
];
const HELP: ShortcutList = [
  [['Esc'], 'Return to the list'],
  [['?'], 'Show this help'],
];

/** The help with the shortcuts of the page of a finding. */
export function Shortcuts({ fromList }: { fromList: boolean }) {
  const { may } = useOrg();
  const [opened, { open, close }] = useDisclosure();
  useShortcuts({ 'shift+?': open, '?': open });
  const shortcuts = [
    ...(fromList ? WALKING : []),
    ...(may('updateFindings') ? [...TRIAGE_SHORTCUTS, ...DECIDING] : []),
    ...HELP,
  ];
  return (
    <>
      <Tooltip label="Keyboard shortcuts">
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={open}
          aria-label="Keyboard shortcuts"
          visibleFrom="sm"
        >
          <IconKeyboard size={18} />
        </ActionIcon>
      </Tooltip>
      <ShortcutHelp opened={opened} onClose={close} shortcuts={shortcuts} />
    </>
  );
}
