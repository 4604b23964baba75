import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import * as text from '#strings/deletion.tsx';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { SectionCard } from '../components/SectionCard.tsx';

interface Props {
  opened: boolean;
  onClose(): void;
  title: ReactNode;
  /** The consequences. */
  children: ReactNode;
  /** Further fields, and whether they are filled in. */
  fields?: ReactNode;
  isReady?: boolean;
  /** The word that the user has to type. */
  word: string;
  /** The text of the button. */
  label: string;
  /** Whether something is deleted: the button is red. True by default. */
  deletes?: boolean;
  onConfirm(): Promise<void>;
}

/** Asks to type a word before something is done that cannot be undone. */
export function TypedConfirmation({ opened, onClose, title, ...form }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Form onClose={onClose} {...form} />
    </Modal>
  );
}

function Form({
  children,
  fields,
  isReady = true,
  word,
  label,
  deletes = true,
  onClose,
  onConfirm,
}: Omit<Props, 'opened' | 'title'>) {
  const [typed, setTyped] = useState('');
  const removal = useMutation({ mutationFn: onConfirm });
  const isConfirmed = typed === word && isReady;
  return (
    <DialogForm
      sending={{
        submit: () => isConfirmed && removal.mutate(),
        problem: removal.error,
        isPending: removal.isPending,
      }}
      action={label}
      color={deletes ? 'red' : undefined}
      isReady={isConfirmed}
      onCancel={onClose}
    >
      <Text size="sm" component="div">
        {children}
      </Text>
      {fields}
      <TextInput
        label={text.typeToConfirm(word)}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...(!fields && { 'data-autofocus': true })}
      />
    </DialogForm>
  );
}

interface DeletionProps extends Pick<Props, 'title' | 'word'> {
  /** The heading, and the label of the button that confirms, such as “Delete project”. */
  label: string;
  /** The label of the button that opens the dialog. */
  ask: string;
  consequences: string;
  /** Why it could not be deleted. */
  refusal?: ReactNode;
  onConfirm(close: () => void): Promise<void>;
}

/** A part of the settings that deletes what they belong to. */
export function DeletionCard({ label, ask, consequences, refusal, onConfirm, ...dialog }: DeletionProps) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <SectionCard title={label} description={consequences}>
      {refusal}
      <Group>
        <Button variant="default" size="sm" c="var(--mantine-color-error)" onClick={open}>
          {ask}
        </Button>
      </Group>
      <TypedConfirmation
        opened={opened}
        onClose={close}
        label={label}
        onConfirm={() => onConfirm(close)}
        {...dialog}
      >
        {consequences}
      </TypedConfirmation>
    </SectionCard>
  );
}
