import { Box, Button, Kbd, type Menu as MenuParts } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import * as text from '#strings/findings/list/views.tsx';
import type { FindingSearch } from '../../../app/search.ts';
import { useMe, useOrg } from '../../../app/session.ts';
import { lazyDialog } from '../../../components/dialogs/lazy-dialog.tsx';
import { LazyMenu } from '../../../components/floating/LazyMenu.tsx';
import { useShortcuts, useShortcutsOn } from '../../../components/keyboard/shortcuts.ts';
import { IconBookmark, IconCheck, IconChevronDown, IconPlus, IconSettings } from '../../../icons/icons.ts';
import { type SavedView, searchOfView, showsView } from './saved-views.ts';

const SaveView = lazyDialog(() => import('./SaveView.tsx'), 'SaveView');
const ManageViews = lazyDialog(() => import('./ManageViews.tsx'), 'ManageViews');

const HOTKEY = 'v';

interface Props {
  search: FindingSearch;
  views: readonly SavedView[];
}

/** Opens saved views, saves the list as a view, and manages views. */
export function ViewMenu({ search, views }: Props) {
  const org = useOrg();
  const { user } = useMe();
  const navigate = useNavigate();
  const [saving, save] = useDisclosure();
  const [managing, manage] = useDisclosure();
  const [keys] = useShortcutsOn();
  useShortcuts({ [HOTKEY]: save.open });
  const own = views.filter(({ owner_id }) => owner_id === user.id);
  const others = views.filter(({ owner_id }) => owner_id !== user.id);
  const items = (Menu: typeof MenuParts, list: readonly SavedView[]) =>
    list.map((view) => (
      <Menu.Item
        key={view.id}
        rightSection={showsView(search, view) && <IconCheck size={14} aria-label={text.shown} />}
        onClick={() =>
          navigate({ to: '/o/$org/findings', params: { org: org.slug }, search: searchOfView(view) })
        }
      >
        <bdi>{view.name}</bdi>
      </Menu.Item>
    ));
  return (
    <>
      <LazyMenu
        position="bottom-end"
        width={260}
        button={(props) => (
          <Button
            {...props}
            size="compact-sm"
            variant="subtle"
            flex="none"
            leftSection={<IconBookmark size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
            aria-label={text.savedViews}
          >
            <Box component="span" visibleFrom="sm">
              {text.views}
            </Box>
          </Button>
        )}
      >
        {(Menu) => (
          <>
            <Menu.Item
              leftSection={<IconPlus size={16} aria-hidden />}
              rightSection={keys && <Kbd size="xs">{HOTKEY}</Kbd>}
              onClick={save.open}
            >
              {text.saveViewAs}
            </Menu.Item>
            {views.length > 0 && (
              <Menu.Item leftSection={<IconSettings size={16} aria-hidden />} onClick={manage.open}>
                {text.manageViews}
              </Menu.Item>
            )}
            {/* Scroll areas of Mantine can be focused, which children of a menu may not. */}
            <Box mah="50vh" style={{ overflowY: 'auto' }}>
              {own.length > 0 && <Menu.Label>{text.yourViews}</Menu.Label>}
              {items(Menu, own)}
              {others.length > 0 && <Menu.Label>{text.sharedByOthers}</Menu.Label>}
              {items(Menu, others)}
            </Box>
          </>
        )}
      </LazyMenu>
      <SaveView opened={saving} onClose={save.close} search={search} />
      <ManageViews opened={managing} onClose={manage.close} search={search} />
    </>
  );
}
