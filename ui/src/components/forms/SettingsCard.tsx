import { Button, Group, List, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import * as text from '#strings/components/forms.ts';
import { type Operation, rolesAllowed } from '../../app/roles.ts';
import { openConfirm, type Question } from '../dialogs/confirm.ts';
import { Problem } from '../errors/Problem.tsx';
import { showSuccess } from '../errors/toasts.ts';
import { SectionCard } from '../SectionCard.tsx';
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
  children: ReactNode;
}

/** A group of settings with a button that saves them. Errors of the service are shown at their fields. */
export function SettingsCard<Values extends object>(props: Props<Values>) {
  const { title, description, form, ask, save, saved, children } = props;
  const saving = useSend(form, {
    send: save,
    onSent(stored) {
      form.setInitialValues(stored);
      form.reset();
      showSuccess(saved);
    },
  });
  const asking = useSend(form, {
    send: async (values) => {
      const question = await ask?.(values);
      const onConfirm = () => saving.mutate(values);
      if (question) openConfirm({ ...question, onConfirm });
      else onConfirm();
    },
  });
  const problem = asking.problem ?? saving.problem;
  const isPending = saving.isPending || asking.isPending;
  return (
    <SectionCard title={title} description={description}>
      <form
        noValidate
        onSubmit={form.onSubmit((values) => {
          if (form.isDirty() && !isPending) asking.mutate(values);
        })}
      >
        <Stack>
          {children}
          {problem !== undefined && <Problem error={problem} />}
          <Group>
            <Button
              type="submit"
              size="sm"
              // A disabled button would lose the focus when the values are saved.
              aria-disabled={!form.isDirty()}
              data-disabled={!form.isDirty() || undefined}
              loading={isPending}
              // In the dark scheme, a disabled button has the colour of the card.
              bd={form.isDirty() ? undefined : '1px solid var(--mantine-color-default-border)'}
            >
              {text.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}

interface ShownProps {
  title: string;
  description: string;
  lines: readonly string[];
  /** The operation that changes them. */
  operation: Operation;
}

/** Settings for members who may not change them. */
export function SettingsShown({ title, description, lines, operation }: ShownProps) {
  return (
    <SectionCard title={title} gap={6}>
      <Text size="sm">{description}</Text>
      <List size="sm">
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      <Text size="xs" c="dimmed">
        {text.whoMayChange(rolesAllowed(operation))}
      </Text>
    </SectionCard>
  );
}
