import { ActionIcon, Kbd } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';
import * as text from '#strings/findings/list/columns.ts';
import { LazyMenu } from '../../../components/floating/LazyMenu.tsx';
import { Tip } from '../../../components/floating/Tip.tsx';
import { useShortcutsOn } from '../../../components/keyboard/shortcuts.ts';
import { IconBaselineDensityMedium, IconBaselineDensitySmall, IconColumns3 } from '../../../icons/icons.ts';
import { ALWAYS, COLUMNS, type ColumnId, canBeHidden, columnsFor } from './columns.ts';

/** Chooses the columns of the list. */
export function ColumnMenu({ columns }: { columns: ReturnType<typeof useColumns> }) {
  return (
    <LazyMenu
      position="bottom-end"
      width={210}
      closeOnItemClick={false}
      button={(props) => (
        <Tip label={text.columns}>
          <ActionIcon {...props} variant="default" size={36} aria-label={text.columns}>
            <IconColumns3 size={18} />
          </ActionIcon>
        </Tip>
      )}
    >
      {(Menu) => (
        <>
          <Menu.Label>{text.columns}</Menu.Label>
          <Menu.CheckboxGroup value={columns.ids} onChange={columns.choose}>
            {COLUMNS.filter(({ id }) => canBeHidden(id)).map(({ id, label }) => (
              <Menu.CheckboxItem key={id} value={id}>
                {label}
              </Menu.CheckboxItem>
            ))}
          </Menu.CheckboxGroup>
          <Menu.Divider />
          <Menu.Item onClick={columns.reset}>{text.reset}</Menu.Item>
        </>
      )}
    </LazyMenu>
  );
}

const HOTKEY = 'd';

interface Props {
  compact: boolean;
  onToggle(): void;
}

/** Switches between compact and comfortable rows. */
export function DensityButton({ compact, onToggle }: Props) {
  const [shortcuts] = useShortcutsOn();
  const Icon = compact ? IconBaselineDensitySmall : IconBaselineDensityMedium;
  return (
    <Tip
      label={
        <>
          {text.compactRows} {shortcuts && <Kbd size="xs">{HOTKEY}</Kbd>}
        </>
      }
    >
      <ActionIcon
        variant="default"
        size={36}
        aria-label={text.compactRows}
        aria-pressed={compact}
        {...(shortcuts && { 'aria-keyshortcuts': HOTKEY })}
        onClick={onToggle}
      >
        <Icon size={18} />
      </ActionIcon>
    </Tip>
  );
}

/** Rounded, so that few widths of a resized window render the list again. */
const windowRem = () => {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.floor(window.innerWidth / rem / 2) * 2;
};
const onResize = (listener: () => void) => {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
};

/** The visible columns: those that fit, or the ones that the user has chosen, which are stored in the browser. */
export function useColumns(hasPreview: boolean, needed: readonly ColumnId[]) {
  const width = useSyncExternalStore(onResize, windowRem);
  const [chosen, setChosen, reset] = useLocalStorage<ColumnId[] | null>({
    key: 'finding-columns',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const ids = Array.isArray(chosen) ? chosen : columnsFor(width, hasPreview, needed);
  return {
    ids,
    shown: COLUMNS.filter(({ id }) => ids.includes(id) || ALWAYS.includes(id)),
    choose: (next: string[]) => setChosen(COLUMNS.map(({ id }) => id).filter((id) => next.includes(id))),
    reset,
  };
}

/** Rows of 28 pixels with one line, or of 40 pixels with two. The choice is stored in the browser. */
export function useCompact(): [isCompact: boolean, toggle: () => void] {
  const [density, setDensity] = useLocalStorage<string>({
    key: 'finding-rows',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
  });
  const isCompact = density === 'compact';
  return [isCompact, () => setDensity(isCompact ? 'comfortable' : 'compact')];
}
