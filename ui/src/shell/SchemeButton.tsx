import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import * as text from '#strings/shell.tsx';
import { Tip } from '../components/floating/Tip.tsx';
import { IconMoon, IconSun } from '../icons/icons.ts';

/** Switches between light and dark mode. */
export function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  const label = next === 'dark' ? text.darkMode : text.lightMode;
  return (
    <Tip label={label}>
      <ActionIcon variant="default" size="lg" aria-label={label} onClick={() => setColorScheme(next)}>
        {next === 'dark' ? <IconMoon size={18} /> : <IconSun size={18} />}
      </ActionIcon>
    </Tip>
  );
}
