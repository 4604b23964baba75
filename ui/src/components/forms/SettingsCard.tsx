import { List, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useEffect, useId } from 'react';
import * as text from '#strings/components/forms.ts';
import { type Operation, rolesAllowed } from '../../app/roles.ts';
import { openConfirm, type Question } from '../dialogs/confirm.ts';
import { Problem } from '../errors/Problem.tsx';
import { showSuccess } from '../errors/toasts.ts';
import { SectionCard } from '../SectionCard.tsx';
import { useSettingsForms } from './settings-forms.ts';
import { useSend } from './use-send.ts';

interface Props<Values extends object> {
  title: string;
  description: ReactNode;
  form: UseFormReturnType<Values>;
  /** Returns the question to confirm before the values are saved; undefined if there is none. */
  ask?(values: Values): Promise<Omit<Question, 'onConfirm'> | undefined>;
  /** Saves the values. @returns the values that the service has stored */
  save(values: Values): Promise<Values>;
  /** The message after the values were saved. */
  saved: string;
  /** Whether saving moves the page to another address. */
  movesPage?: boolean;
  children: ReactNode;
}

/** A group of settings, which the bar of the page saves. Errors of the service are shown at their fields. */
export function SettingsCard<Values extends object>(props: Props<Values>) {
  const { title, description, form, ask, save, saved, movesPage = false, children } = props;
  const forms = useSettingsForms();
  const id = useId();
  const saving = useSend(form, {
    send: async (values: Values): Promise<Values | undefined> => {
      const question = await ask?.(values);
      return question && !(await confirmed(question)) ? undefined : await save(values);
    },
    onSent(stored) {
      if (!stored) return;
      form.setInitialValues(stored);
      form.reset();
      showSuccess(saved);
    },
  });
  const { problem, mutateAsync } = saving;
  // The bar follows every change of the values.
  useEffect(() =>
    forms.report(id, {
      title,
      isLast: movesPage,
      isDirty: () => form.isDirty(),
      validate: () => !form.validate().hasErrors,
      save: () =>
        mutateAsync(form.getValues()).then(
          (stored) => stored !== undefined,
          () => false,
        ),
      discard: () => form.reset(),
    }),
  );
  useEffect(() => () => forms.remove(id), [forms, id]);
  return (
    <SectionCard title={title} description={description}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void forms.save();
        }}
      >
        <Stack>
          {children}
          {problem !== undefined && <Problem error={problem} />}
        </Stack>
      </form>
    </SectionCard>
  );
}

/** Asks a question. @returns whether the user confirmed */
const confirmed = (question: Omit<Question, 'onConfirm'>): Promise<boolean> =>
  new Promise((resolve) => {
    openConfirm({ ...question, onConfirm: () => resolve(true), onClose: () => resolve(false) });
  });

interface ShownProps {
  title: string;
  description?: string;
  lines: readonly string[];
  /** Says who changes them. */
  whoChanges: string;
}

/** Names the roles that may call an operation. */
export const whoMay = (operation: Operation): string => text.whoMayChange(rolesAllowed(operation));

/** Settings for members who may not change them. */
export function SettingsShown({ title, description, lines, whoChanges }: ShownProps) {
  return (
    <SectionCard title={title} gap={6}>
      {description && <Text size="sm">{description}</Text>}
      <List size="sm">
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      <Text size="xs" c="dimmed">
        {whoChanges}
      </Text>
    </SectionCard>
  );
}
