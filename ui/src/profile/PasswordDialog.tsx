import { Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import * as text from '#strings/profile.tsx';
import { ServiceError } from '../app/api.ts';
import { useMe } from '../app/session.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { PasswordField } from '../components/forms/PasswordField.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  /** The label of the button. */
  action: string;
  color?: string;
  /** The consequences. */
  children: ReactNode;
  /** Runs the action. If it fails, the dialog stays open and shows the error. */
  onConfirm: (password: string) => Promise<unknown>;
}

/** Asks for the password before a sensitive change. */
export function PasswordDialog({ opened, onClose, title, ...form }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <PasswordForm onClose={onClose} {...form} />
    </Modal>
  );
}

function PasswordForm({ onClose, action, color, children, onConfirm }: Omit<Props, 'opened' | 'title'>) {
  const [password, setPassword] = useState('');
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const isWrong = confirm.error instanceof ServiceError && confirm.error.code === 'invalid_credentials';
  return (
    <DialogForm
      sending={{
        submit: () => confirm.mutate(password),
        problem: isWrong ? undefined : confirm.error,
        isPending: confirm.isPending,
      }}
      action={action}
      color={color}
      isReady={password !== ''}
      onCancel={onClose}
    >
      {children}
      <Username />
      <PasswordField
        label={text.yourPassword}
        data-autofocus
        value={password}
        onChange={({ currentTarget }) => {
          setPassword(currentTarget.value);
          confirm.reset();
        }}
        error={isWrong && text.wrongPassword}
      />
    </DialogForm>
  );
}

/** Tells password managers for which account a form asks for a password. */
export function Username() {
  const { user } = useMe();
  return <input type="email" autoComplete="username" value={user.email} readOnly hidden />;
}
