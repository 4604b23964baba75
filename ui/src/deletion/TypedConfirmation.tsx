import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import * as text from '#strings/deletion.tsx';
import { Problem } from '../components/errors/Problem.tsx';

interface Props {
  opened: boolean;
  onClose(): void;
  title: ReactNode;
  /** The consequences of the deletion. */
  children: ReactNode;
  /** What the user has to type. */
  word: string;
  /** The text of the button. */
  label: string;
  onConfirm(): Promise<void>;
}

/** Asks to type a word before something is deleted that cannot be restored. */
export function TypedConfirmation({ opened, onClose, title, ...form }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Form onClose={onClose} {...form} />
    </Modal>
  );
}

function Form({ children, word, label, onClose, onConfirm }: Omit<Props, 'opened' | 'title'>) {
  const [typed, setTyped] = useState('');
  const removal = useMutation({ mutationFn: onConfirm });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === word) removal.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{children}</Text>
        <TextInput
          label={text.typeToConfirm(word)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
        />
        {removal.error && <Problem error={removal.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit" color="red" disabled={typed !== word} loading={removal.isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
