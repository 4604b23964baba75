import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useId } from 'react';
import * as text from '#strings/components/forms.ts';
import { Problem } from '../errors/Problem.tsx';
import { showSuccess } from '../errors/toasts.ts';
import { useSend } from './use-send.ts';

interface Props<Values extends object> {
  title: string;
  description: ReactNode;
  form: UseFormReturnType<Values>;
  /** Saves the values. @returns the values that the service has stored */
  save(values: Values): Promise<Values>;
  /** The message after the values were saved. */
  saved: string;
  children: ReactNode;
}

/** A group of settings with a button that saves them. Errors of the service are shown at their fields. */
export function SettingsCard<Values extends object>(props: Props<Values>) {
  const { title, description, form, save, saved, children } = props;
  const id = useId();
  const saving = useSend(form, {
    send: save,
    onSent(stored) {
      form.setInitialValues(stored);
      form.reset();
      showSuccess(saved);
    },
  });
  return (
    <Card withBorder component="section" aria-labelledby={id}>
      <form
        noValidate
        onSubmit={form.onSubmit((values) => {
          if (form.isDirty() && !saving.isPending) saving.mutate(values);
        })}
      >
        <Stack>
          <div>
            <Title order={2} fz="md" id={id}>
              {title}
            </Title>
            <Text size="sm" c="dimmed" maw="44rem">
              {description}
            </Text>
          </div>
          {children}
          {saving.problem !== undefined && <Problem error={saving.problem} />}
          <Group>
            <Button
              type="submit"
              size="sm"
              // A disabled button would lose the focus when the values are saved.
              aria-disabled={!form.isDirty()}
              data-disabled={!form.isDirty() || undefined}
              loading={saving.isPending}
              // In the dark scheme, a disabled button has the colour of the card.
              bd={form.isDirty() ? undefined : '1px solid var(--mantine-color-default-border)'}
            >
              {text.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
