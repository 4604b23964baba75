import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useHotkeys, useOs } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import * as text from '#strings/shell.tsx';
import { late } from '../../app/late.ts';
import { Tip } from '../../components/floating/Tip.tsx';
import { IconSearch } from '../../icons/icons.ts';

const SpotlightDialog = lazy(
  late(async () => ({ default: (await import('./SpotlightDialog.tsx')).SpotlightDialog })),
);

/** The button and the key of the search. The dialog is loaded on first use. */
export function Spotlight() {
  const [opened, setOpened] = useState(false);
  const [wanted, setWanted] = useState(false);
  const open = () => {
    setWanted(true);
    setOpened(true);
  };
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
      {wanted && (
        <Suspense fallback={null}>
          <SpotlightDialog opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}
