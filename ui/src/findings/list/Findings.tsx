import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconKeyboard } from '@tabler/icons-react';
import { getRouteApi, useBlocker } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import { wholeNumber, withoutUndefined } from '../../app/search.ts';
import { useOrg } from '../../app/session.ts';
import { ShortcutHelp, type ShortcutList } from '../../components/keyboard/ShortcutHelp.tsx';
import { useShortcuts } from '../../components/keyboard/shortcuts.ts';
import { counted } from '../../components/numbers.ts';
import { Page } from '../../components/Page.tsx';
import { TRIAGE_SHORTCUTS } from '../../triage/shortcuts.ts';
import { useTriage } from '../../triage/use-triage.ts';
import { type FindingFilter, filterOf } from '../list-queries.ts';
import { ColumnMenu } from './ColumnMenu.tsx';
import { useColumns } from './columns.tsx';
import { ExportMenu } from './ExportMenu.tsx';
import classes from './Findings.module.css';
import { FindingsGrid } from './FindingsGrid.tsx';
import { FilterChips } from './filters/FilterChips.tsx';
import { Toolbar } from './filters/Toolbar.tsx';

const route = getRouteApi('/_signed-in/o/$org/findings');

const LOOKING: ShortcutList = [
  [['j', '↓'], 'Next finding'],
  [['k', '↑'], 'Previous finding'],
  [['o', 'Enter'], 'Open the finding'],
];
const SELECTING: ShortcutList = [
  [['x', 'Space'], 'Select or deselect the finding'],
  [['Shift + x'], 'Select all findings from the last selected one to this one'],
  ...TRIAGE_SHORTCUTS,
  [['Esc'], 'Clear the selection'],
];
const OTHERS: ShortcutList = [
  [['/'], 'Search'],
  [['?'], 'Show this help'],
];

/** The list of findings with filters and triage. */
export function Findings() {
  const search = route.useSearch();
  const page = wholeNumber(search.page) ?? 1;
  const navigate = route.useNavigate();
  const org = useOrg();
  // The same object while the filter does not change.
  const said = JSON.stringify(filterOf(search));
  const filter = useMemo(() => JSON.parse(said) as FindingFilter, [said]);
  const { sort: _, ...narrowed } = filter;
  const columns = useColumns();
  const narrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const field = useRef<HTMLInputElement>(null);
  const [total, setTotal] = useState<number | null>();
  const [helps, help] = useDisclosure();
  const triage = useTriage(filter);

  const change = useCallback(
    (part: { [K in keyof FindingFilter]?: FindingFilter[K] | undefined }, replace = false) =>
      navigate({
        search: (before) => withoutUndefined<FindingFilter>({ ...filterOf(before), ...part }),
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
  const find = () => field.current?.select();
  // On some keyboards these keys need Shift.
  useShortcuts({ '/': find, 'shift+/': find, '?': help.open, 'shift+?': help.open });

  useBlocker({
    disabled: !triage.job?.running,
    enableBeforeUnload: true,
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname &&
      new Promise<boolean>((answer) =>
        modals.openConfirmModal({
          title: 'Findings are still being updated',
          children: 'If you leave, the remaining findings are not changed. Completed changes are kept.',
          labels: { confirm: 'Stop and leave', cancel: 'Stay' },
          onConfirm: () => {
            triage.stop();
            answer(false);
          },
          onClose: () => answer(true),
        }),
      ),
  });

  const exports = <ExportMenu filter={filter} disabled={!total} />;
  return (
    <div className={classes.page}>
      <Page
        title="Findings"
        actions={
          !narrow && (
            <>
              {exports}
              <ColumnMenu columns={columns} />
              <Tooltip label="Keyboard shortcuts">
                <ActionIcon
                  variant="default"
                  size={36}
                  aria-label="Keyboard shortcuts"
                  aria-keyshortcuts="?"
                  onClick={help.open}
                >
                  <IconKeyboard size={18} />
                </ActionIcon>
              </Tooltip>
            </>
          )
        }
      >
        <div className={classes.list}>
          <Toolbar filter={filter} onChange={change} search={field} narrow={narrow}>
            {exports}
          </Toolbar>
          <div className={classes.said}>
            <Text size="sm" fw={600} role="status">
              {total === undefined ? 'Loading…' : total !== null && counted(total, 'finding')}
            </Text>
            <FilterChips
              filter={filter}
              onChange={change}
              onClear={() => navigate({ search: filter.sort ? { sort: filter.sort } : {} })}
            />
          </div>
          <FindingsGrid
            key={JSON.stringify(narrowed)}
            filter={filter}
            page={page}
            columns={columns.shown}
            card={narrow}
            triage={triage}
            onTotal={setTotal}
          />
        </div>
      </Page>
      <ShortcutHelp
        opened={helps}
        onClose={help.close}
        note="The arrow keys, Enter, Space and Escape always work."
        shortcuts={[...LOOKING, ...(org.may('updateFindings') ? SELECTING : []), ...OTHERS]}
      />
    </div>
  );
}
