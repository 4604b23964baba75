import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useDisclosure, useHotkeys, useOs } from '@mantine/hooks';
import { useState } from 'react';
import * as text from '#strings/shell.tsx';
import { lazyDialog } from '../../components/dialogs/lazy-dialog.tsx';
import { Tip } from '../../components/floating/Tip.tsx';
import { IconSearch } from '../../icons/icons.ts';
import type { PaletteDialog } from './destinations.tsx';

const SpotlightDialog = lazyDialog(() => import('./SpotlightDialog.tsx'), 'SpotlightDialog');
const NewProject = lazyDialog(() => import('../../projects/Projects.tsx'), 'NewProject');
const InviteMember = lazyDialog(() => import('../../members/InviteMember.tsx'), 'InviteMember');

/** The button and the key of the search. The dialog is loaded on first use. */
export function Spotlight() {
  const [opened, { open, close }] = useDisclosure();
  const [dialog, setDialog] = useState<PaletteDialog>();
  const closeDialog = () => setDialog(undefined);
  // Also while a field has the focus.
  useHotkeys([['mod+K', open]], []);
  const os = useOs();
  const keys = os === 'macos' || os === 'ios' ? text.searchKeysOfMac : text.searchKeys;
  return (
    <>
      <Button
        variant="default"
        visibleFrom="sm"
        onClick={open}
        aria-keyshortcuts="Control+K Meta+K"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {keys}
          </Kbd>
        }
        fw={400}
      >
        {text.search}
      </Button>
      <Tip label={text.search}>
        <ActionIcon variant="default" size="lg" hiddenFrom="sm" onClick={open} aria-label={text.search}>
          <IconSearch size={18} />
        </ActionIcon>
      </Tip>
      <SpotlightDialog opened={opened} onClose={close} onDialog={setDialog} />
      <NewProject opened={dialog === 'project'} onClose={closeDialog} />
      <InviteMember opened={dialog === 'member'} onClose={closeDialog} />
    </>
  );
}
