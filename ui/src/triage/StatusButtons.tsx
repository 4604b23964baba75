import { Box, Button, Text, Tooltip } from '@mantine/core';
import * as text from '#strings/triage.tsx';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { KeyButton } from '../components/keyboard/KeyButton.tsx';
import { useShortcuts } from '../components/keyboard/shortcuts.ts';
import type { Finding } from '../findings/finding-queries.ts';
import { STATUS_NAMES } from '../findings/Severity.tsx';
import { IconCheck } from '../icons/icons.ts';
import { useMayIn } from '../projects/allowed-projects.ts';
import classes from './StatusButtons.module.css';
import { triageShortcuts } from './shortcuts.ts';
import { asksReason, STATUS_KEYS, USER_STATUSES, type UserStatus } from './statuses.ts';
import type { TriageState } from './use-triage.ts';

interface Props {
  finding: Finding;
  triage: TriageState;
  /** Whether the keys set the status of this finding. A list has the same keys. */
  hasKeys: boolean;
}

/** Buttons that set the status of a finding. */
export function StatusButtons({ finding, triage: { run, decide, undo }, hasKeys }: Props) {
  const { isLimited, role } = useOrg();
  const mayTriage = useMayIn('updateFindings', finding.project_id);
  /** A regressed finding keeps its status, and may be fixed once more. */
  const current = finding.regressed ? undefined : finding.status;
  const setStatus = (status: UserStatus) => {
    const { id, title, status: if_status } = finding;
    if (asksReason(status)) decide([finding], { status });
    else if (current !== status) run([{ id, title, status, if_status }]);
  };
  useShortcuts(mayTriage && hasKeys ? triageShortcuts({ setStatus, undo }) : {});
  if (mayTriage === undefined) return null;
  if (!mayTriage) {
    return (
      <Text size="sm" c="dimmed">
        {isLimited ? text.roleInProjectTooLow : text.onlyRolesSetStatus(role, rolesAllowed('updateFindings'))}
      </Text>
    );
  }
  return (
    <Box
      role="group"
      aria-label={text.setTheStatus}
      className={classes.buttons ?? ''}
      data-status-buttons
      data-print-hidden
    >
      {USER_STATUSES.map((status) => (
        <KeyButton
          key={status}
          hotkey={STATUS_KEYS[status]}
          justify="space-between"
          variant={current === status ? 'filled' : 'default'}
          aria-pressed={current === status}
          {...(asksReason(status) && { 'aria-haspopup': 'dialog' })}
          onClick={() => setStatus(status)}
        >
          {asksReason(status) ? text.opensDialog(STATUS_NAMES[status]) : STATUS_NAMES[status]}
        </KeyButton>
      ))}
      <Tooltip label={text.onlyAgentsVerify} events={{ hover: true, focus: true, touch: true }}>
        <Button
          size="compact-sm"
          justify="flex-start"
          variant={current === 'verified' ? 'filled' : 'default'}
          aria-pressed={current === 'verified'}
          aria-disabled
          aria-description={text.onlyAgentsVerify}
          data-disabled={current !== 'verified' || undefined}
          className={classes.agentsOnly ?? ''}
          leftSection={current === 'verified' && <IconCheck size={14} aria-hidden />}
        >
          {STATUS_NAMES.verified}
        </Button>
      </Tooltip>
    </Box>
  );
}
