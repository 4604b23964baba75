import { Button, Group, Modal, Stack, Text, Textarea, TextInput, type TextInputProps } from '@mantine/core';
import { getHotkeyHandler, useMediaQuery, useWindowEvent } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import * as text from '#strings/triage/form.tsx';
import { keyHint } from '../../components/keyboard/KeyButton.tsx';
import { useShortcutsOn } from '../../components/keyboard/shortcuts.ts';
import { STATUS_NAMES } from '../../findings/Severity.tsx';
import { titleOf } from '../../findings/title.ts';
import type { Decision, Reason } from '../decision.ts';
import { STATUS_KEYS, USER_STATUSES, type UserStatus } from '../statuses.ts';
import { REASON_NAMES, REASONS } from '../texts.ts';
import { AssigneeField, KEEP, NOBODY } from './AssigneeField.tsx';
import { Choice } from './Choice.tsx';
import type { FormRequest, Target } from './triage-form.ts';

interface Props extends FormRequest {
  /** False while the dialog closes. */
  opened: boolean;
  onCancel(): void;
}

type Until = 'never' | '30' | '90' | 'date';

const UNTIL_NAMES: Record<Until, string> = text.untils;

/** Not the order of keys, of which numbers come first. */
const UNTILS: readonly Until[] = ['30', '90', 'date', 'never'];

const needsReason = (status: UserStatus | undefined) => status === 'false_positive' || status === 'wontfix';

/** The fields of a row stay aligned. */
const DESCRIPTION_BELOW: NonNullable<TextInputProps['inputWrapperOrder']> = [
  'label',
  'input',
  'description',
  'error',
];

/** A decision about one or several findings: status, reason, note, assignee, due date, and how long a risk is accepted. */
export function TriageForm(props: Props) {
  const { org, user, findings, projectId, preset, onDecide, onCancel, opened } = props;
  const [first] = findings;
  const single = findings.length === 1 ? first : undefined;
  const before = single?.status === 'verified' ? undefined : single?.status;
  const [status, setStatus] = useState<UserStatus | undefined>(preset.status ?? before);
  const [reason, setReason] = useState<Reason | undefined>(status === before ? single?.reason : undefined);
  const [note, setNote] = useState('');
  const [assignee, setAssignee] = useState<{ id: string; name?: string }>({
    id: single ? (single.assignee_id ?? NOBODY) : KEEP,
  });
  const dueBefore = dayOf(single?.due_at);
  const [due, setDue] = useState(dueBefore);
  const untilBefore = before === 'wontfix' ? dayOf(single?.accepted_until) : '';
  const [until, setUntil] = useState<Until>(untilBefore ? 'date' : before === 'wontfix' ? 'never' : '90');
  const [untilDay, setUntilDay] = useState(untilBefore);
  const [errors, setErrors] = useState<{ reason?: string; until?: string; form?: string }>({});
  const [keys] = useShortcutsOn();

  const reasons = REASONS[status === 'false_positive' || status === 'wontfix' ? status : 'other'];
  const choose = (next: UserStatus) => {
    setStatus(next === status && !single ? undefined : next);
    setErrors({});
    const possible = REASONS[next === 'false_positive' || next === 'wontfix' ? next : 'other'];
    setReason((now) => (next === before ? single?.reason : now && possible.includes(now) ? now : undefined));
  };
  const chooseReason = (next: Reason) => {
    setReason(next === reason && !needsReason(status) ? undefined : next);
    setErrors({});
  };

  function decided(): Decision | undefined {
    const day = until === 'date' ? untilDay : until === 'never' ? '' : dayIn(Number(until));
    const accepted = status === 'wontfix' && until !== 'never' ? endOf(day) : undefined;
    const isPast = accepted !== undefined && Date.parse(accepted) <= Date.now();
    const problems = {
      ...(needsReason(status) && !reason && { reason: text.chooseReason }),
      ...(status === 'wontfix' &&
        until === 'date' &&
        (!accepted || isPast) && { until: text.chooseFutureDate }),
    };
    setErrors(problems);
    if (Object.keys(problems).length > 0) return undefined;
    const hasNewEnd = status === 'wontfix' && day !== untilBefore;
    const isNew = status !== undefined && status !== before;
    return {
      ...(status && (isNew || hasNewEnd) && { status }),
      ...((isNew || reason !== single?.reason) && (single || reason) && { reason: reason ?? null }),
      ...(note.trim() && { note: note.trim() }),
      ...(assignee.id !== KEEP &&
        assignee.id !== (single ? (single.assignee_id ?? NOBODY) : KEEP) && {
          assignee_id: assignee.id === NOBODY ? null : assignee.id,
        }),
      ...(due !== dueBefore && { due_at: endOf(due) ?? null }),
      ...(hasNewEnd && { accepted_until: accepted ?? null }),
    };
  }

  const submit = (event?: FormEvent | Event) => {
    event?.preventDefault();
    const decision = decided();
    if (!decision) return;
    if (Object.keys(decision).length === 0) return setErrors({ form: text.changeSomething });
    onDecide(decision, assignee.name);
  };
  /** Keys outside of fields choose a status or a reason, also before the dialog has the focus. */
  useWindowEvent('keydown', (event) => {
    // The key that has opened the dialog is not meant for it.
    if (!opened || event.defaultPrevented) return;
    getHotkeyHandler([['mod+Enter', submit]])(event);
    const isField =
      event.target instanceof Element && event.target.closest('input, textarea, [role="option"]');
    if (!keys || isField || event.ctrlKey || event.metaKey || event.altKey) return;
    const byKey = USER_STATUSES.find((one) => STATUS_KEYS[one] === event.key);
    const byNumber = reasons[Number(event.key) - 1];
    if (byKey) choose(byKey);
    else if (byNumber) chooseReason(byNumber);
    else return;
    event.preventDefault();
  });

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Choice
          label={text.status}
          options={USER_STATUSES.map((one) => ({
            value: one,
            label: STATUS_NAMES[one],
            hotkey: STATUS_KEYS[one],
          }))}
          value={status}
          onChoose={choose}
          autoFocus={!preset.status && !preset.focus}
          hint={single?.status === 'verified' && !status ? text.verifiedByAgent : undefined}
        />
        <Choice
          label={needsReason(status) ? text.reason : text.optionalReason}
          options={reasons.map((one, i) => ({ value: one, label: REASON_NAMES[one], hotkey: `${i + 1}` }))}
          value={reason}
          onChoose={chooseReason}
          error={errors.reason}
          autoFocus={preset.status !== undefined}
        />
        {status === 'wontfix' && (
          <Stack gap={6}>
            <Choice<Until>
              label={text.acceptUntil}
              options={UNTILS.map((one) => ({
                value: one,
                label: UNTIL_NAMES[one],
              }))}
              value={until}
              onChoose={setUntil}
              hint={until === 'never' ? undefined : text.openAgainThen}
            />
            {until === 'date' && (
              <TextInput
                type="date"
                aria-label={text.acceptUntilDate}
                min={dayIn(1)}
                value={untilDay}
                onChange={({ currentTarget }) => setUntilDay(currentTarget.value)}
                error={errors.until}
                w={180}
              />
            )}
          </Stack>
        )}
        <Textarea
          label={text.note}
          description={text.whereNoteIsShown}
          value={note}
          maxLength={10_000}
          rows={3}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          data-autofocus={preset.focus === 'note' || undefined}
        />
        <Group gap="md" align="flex-start" grow preventGrowOverflow={false}>
          <AssigneeField
            org={org}
            user={user}
            projectId={projectId ?? commonProject(findings)}
            mayKeep={!single}
            value={assignee.id}
            onChange={(id, name) => setAssignee({ id, ...(name !== undefined && { name }) })}
            autoFocus={preset.focus === 'assignee'}
          />
          <TextInput
            type="date"
            label={text.dueDate}
            {...(!single && { description: text.emptyKeeps, inputWrapperOrder: DESCRIPTION_BELOW })}
            value={due}
            onChange={({ currentTarget }) => setDue(currentTarget.value)}
            data-autofocus={preset.focus === 'due' || undefined}
            miw={160}
          />
        </Group>
        {errors.form && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {errors.form}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {text.cancel}
          </Button>
          <Button type="submit" rightSection={keyHint(text.applyKeys)}>
            {text.apply}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The project of all findings; undefined if there are several, or if it is not known. */
const commonProject = ([first, ...others]: readonly Target[]): string | undefined =>
  others.every(({ project_id }) => project_id === first?.project_id) ? first?.project_id : undefined;

const DAY_MS = 24 * 60 * 60_000;

const two = (number: number) => String(number).padStart(2, '0');

/** The date of a time in the user's time zone, as date fields have it: `2026-01-31`. */
function dayOf(time: string | number | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The date in some days. */
const dayIn = (days: number, now = Date.now()): string => dayOf(now + days * DAY_MS);

/** The end of a day in the user's time zone; undefined if it is no date. */
function endOf(day: string): string | undefined {
  const time = new Date(`${day}T23:59:59`);
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}

interface DialogProps {
  opened: boolean;
  request: FormRequest | undefined;
  onClose(): void;
}

/** The triage form as a dialog. */
export function TriageDialog({ request, opened, onClose }: DialogProps) {
  const narrow = useMediaQuery('(max-width: 36em)', undefined, { getInitialValueInEffect: false });
  // The dialog keeps its content while it closes.
  const [last, setLast] = useState(request);
  if (request && request !== last) setLast(request);
  const shown = request ?? last;
  if (!shown) return null;
  const { findings, count = findings.length } = shown;
  const [first] = findings;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      yOffset="6vh"
      fullScreen={narrow ?? false}
      title={first && count === 1 ? text.triageFinding(titleOf(first.title)) : text.triageFindings(count)}
      styles={{
        title: {
          overflowWrap: 'anywhere',
          display: '-webkit-box',
          WebkitBoxOrient: 'vertical',
          WebkitLineClamp: 3,
          overflow: 'hidden',
        },
      }}
    >
      <TriageForm
        key={`${count} ${findings.map(({ id }) => id).join()}`}
        {...shown}
        opened={opened}
        onCancel={onClose}
        onDecide={(decision, assignee) => {
          onClose();
          shown.onDecide(decision, assignee);
        }}
      />
    </Modal>
  );
}
