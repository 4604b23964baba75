import { ActionIcon, Kbd } from '@mantine/core';
import * as text from '#strings/findings/list/columns.ts';
import { Tip } from '../../../components/floating/Tip.tsx';
import { useShortcutsOn } from '../../../components/keyboard/shortcuts.ts';
import { IconBaselineDensityMedium, IconBaselineDensitySmall } from '../../../icons/icons.ts';

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
