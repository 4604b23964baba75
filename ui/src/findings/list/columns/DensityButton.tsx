import { ActionIcon, Kbd, Tooltip } from '@mantine/core';
import { IconBaselineDensityMedium, IconBaselineDensitySmall } from '@tabler/icons-react';
import { useShortcutsOn } from '../../../components/keyboard/shortcuts.ts';

interface Props {
  compact: boolean;
  onToggle(): void;
}

/** Switches between compact and comfortable rows. */
export function DensityButton({ compact, onToggle }: Props) {
  const [shortcuts] = useShortcutsOn();
  const Icon = compact ? IconBaselineDensitySmall : IconBaselineDensityMedium;
  return (
    <Tooltip label={<>Compact rows {shortcuts && <Kbd size="xs">d</Kbd>}</>}>
      <ActionIcon
        variant="default"
        size={36}
        aria-label="Compact rows"
        aria-pressed={compact}
        {...(shortcuts && { 'aria-keyshortcuts': 'd' })}
        onClick={onToggle}
      >
        <Icon size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
