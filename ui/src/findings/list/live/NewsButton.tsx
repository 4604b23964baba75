import { Button, Kbd } from '@mantine/core';
import * as text from '#strings/findings/list/live.ts';
import { useShortcutsOn } from '../../../components/keyboard/shortcuts.ts';
import { IconArrowUp } from '../../../icons/icons.ts';
import type { News } from './compare.ts';

const HOTKEY = 'n';

interface Props {
  news: News | undefined;
  onShow: (() => void) | undefined;
}

/** Says that there are new findings, and shows them. It appears beside the number of findings, where it moves no row. */
export function NewsButton({ news, onShow }: Props) {
  const [shortcuts] = useShortcutsOn();
  return (
    <div role="status">
      {news && (
        <Button
          size="compact-xs"
          radius="xl"
          onClick={onShow}
          leftSection={<IconArrowUp size={12} aria-hidden />}
          rightSection={
            shortcuts && (
              <Kbd size="xs" visibleFrom="sm">
                {HOTKEY}
              </Kbd>
            )
          }
          {...(shortcuts && { 'aria-keyshortcuts': HOTKEY })}
        >
          {wordsOf(news)}
        </Button>
      )}
    </div>
  );
}

/** Such as "1 regressed finding, 3 new findings". */
function wordsOf({ added, regressed }: News): string {
  if (regressed > 0) return added > 0 ? text.both(regressed, added) : text.regressedFindings(regressed);
  return added > 0 ? text.newFindings(added) : text.hasChanged;
}
