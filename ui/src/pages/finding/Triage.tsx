import { Button, Group, Kbd, Text, Tooltip } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { rolesAllowed } from '../../parts/roles.ts';
import { STATUS_NAMES } from '../../parts/Severity.tsx';
import { STATUS_KEYS, type UserStatus, useShortcuts, useShortcutsOn } from '../../parts/shortcuts.ts';
import type { Finding } from '../../queries/finding.ts';
import { STATUSES } from '../../search.ts';
import { useOrg } from '../../session.ts';
import classes from './Finding.module.css';
import type { SetStatus } from './use-status.tsx';

const SET_BY_PEOPLE = STATUSES.filter((status) => status !== 'verified');

/** The statuses a finding can be given, and the one it has. */
export function Triage({ finding, status: { set, undo } }: { finding: Finding; status: SetStatus }) {
  const { may, role } = useOrg();
  const mayTriage = may('updateFindings');
  const keys = SET_BY_PEOPLE.map((status) => [STATUS_KEYS[status], () => set(finding, status)]);
  useShortcuts(mayTriage ? { ...Object.fromEntries(keys), u: undo } : {});
  if (!mayTriage) {
    return (
      <Text size="sm" c="dimmed">
        Your role is {role}. Only {rolesAllowed('updateFindings')} can change the status.
      </Text>
    );
  }
  return (
    <Group role="group" aria-label="Set the status" gap={6}>
      {SET_BY_PEOPLE.map((status) => (
        <StatusButton
          key={status}
          status={status}
          isCurrent={finding.status === status}
          onClick={() => set(finding, status)}
        />
      ))}
      <Tooltip
        label="Set by agents only, when they have confirmed that it is fixed"
        events={{ hover: true, focus: true, touch: true }}
      >
        <Button
          size="compact-md"
          variant={finding.status === 'verified' ? 'light' : 'default'}
          aria-pressed={finding.status === 'verified'}
          aria-disabled
          aria-description="Set by agents only, when they have confirmed that it is fixed"
          data-disabled={finding.status !== 'verified' || undefined}
          className={classes.agentsOnly ?? ''}
          leftSection={finding.status === 'verified' && <IconCheck size={14} aria-hidden />}
        >
          {STATUS_NAMES.verified}
        </Button>
      </Tooltip>
    </Group>
  );
}

function StatusButton({
  status,
  isCurrent,
  onClick,
}: {
  status: UserStatus;
  isCurrent: boolean;
  onClick: () => void;
}) {
  const [shortcuts] = useShortcutsOn();
  const hotkey = STATUS_KEYS[status];
  return (
    <Button
      size="compact-md"
      variant={isCurrent ? 'filled' : 'default'}
      aria-pressed={isCurrent}
      {...(shortcuts && { 'aria-keyshortcuts': hotkey })}
      leftSection={isCurrent && <IconCheck size={14} aria-hidden />}
      rightSection={
        shortcuts && (
          <Kbd size="xs" aria-hidden visibleFrom="sm">
            {hotkey}
          </Kbd>
        )
      }
      onClick={onClick}
    >
      {STATUS_NAMES[status]}
    </Button>
  );
}
