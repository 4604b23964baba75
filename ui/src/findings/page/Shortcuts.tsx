import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import * as text from '#strings/findings/page.tsx';
import { useOrg } from '../../app/session.ts';
import { Tip } from '../../components/floating/Tip.tsx';
import { ShortcutHelp, type ShortcutList } from '../../components/keyboard/ShortcutHelp.tsx';
import { useShortcuts } from '../../components/keyboard/shortcuts.ts';
import { IconKeyboard } from '../../icons/icons.ts';
import { TRIAGE_SHORTCUTS } from '../../triage/shortcuts.ts';

const WALKING: ShortcutList = [
  [['j'], text.nextInList],
  [['k'], text.previousInList],
];
const DECIDING: ShortcutList = [
  [['a'], text.assignToMe],
  [['e'], text.editFinding],
  [['m'], text.writeComment],
];
const HELP: ShortcutList = [
  [[text.escapeKey], text.returnToList],
  [['?'], text.showHelp],
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
      <Tip label={text.keyboardShortcuts}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={open}
          aria-label={text.keyboardShortcuts}
          visibleFrom="sm"
        >
          <IconKeyboard size={18} />
        </ActionIcon>
      </Tip>
      <ShortcutHelp opened={opened} onClose={close} shortcuts={shortcuts} />
    </>
  );
}
