import { Button, Card, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import * as text from '#strings/auth/passkeys.tsx';
import { api, type Schemas } from '../../app/api.ts';
import { PasskeyError } from '../../auth/PasskeyButton.tsx';
import { PasskeyProblem, storePasskey, supportsPasskeys } from '../../auth/passkeys.ts';
import { useConfirmed } from '../../components/dialogs/use-confirmed.ts';
import { Empty } from '../../components/Empty.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { DialogForm } from '../../components/forms/DialogForm.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { StateBadge } from '../../components/StateBadge.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { IconFingerprint, IconPlus } from '../../icons/icons.ts';
import { passkeysQuery, useRefreshUser } from '../queries.ts';

type Passkey = Schemas['Passkey'];

/** The passkeys of the user. */
export function Passkeys({ isLast }: { isLast: (id: string) => boolean }) {
  const passkeys = useQuery(passkeysQuery);
  const [adding, { open, close }] = useDisclosure();
  return (
    <Card withBorder component="section" aria-labelledby="passkeys">
      <Stack>
        <Group justify="space-between">
          <Title order={3} id="passkeys">
            {text.passkeys}
          </Title>
          {supportsPasskeys && (
            <Button size="sm" leftSection={<IconPlus size={16} />} onClick={open}>
              {text.addPasskey}
            </Button>
          )}
        </Group>
        <Text size="sm">{supportsPasskeys ? text.whatPasskeysDo : text.unsupported}</Text>
        <Loaded
          query={passkeys}
          empty={
            <Empty icon={<IconFingerprint />} title={text.noPasskeys}>
              {text.whereTheyAre}
            </Empty>
          }
        >
          {(list) => (
            <Stack
              component="ul"
              gap="sm"
              p={0}
              m={0}
              style={{ listStyle: 'none' }}
              aria-label={text.passkeys}
            >
              {list.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} isLast={isLast(passkey.id)} />
              ))}
            </Stack>
          )}
        </Loaded>
      </Stack>
      <Modal opened={adding} onClose={close} title={text.addAPasskey} closeOnClickOutside={false}>
        <AddPasskey onClose={close} />
      </Modal>
    </Card>
  );
}

function PasskeyRow({ passkey, isLast }: { passkey: Passkey; isLast: boolean }) {
  const { id, name, sign_in, created_at, last_used_at } = passkey;
  const [renaming, { open, close }] = useDisclosure();
  const renew = useRefreshUser();
  const params = { path: { id } };
  const allow = useConfirmed({
    title: text.askAllow(<bdi>{name}</bdi>),
    children: <Text size="sm">{text.whyNotAllowed}</Text>,
    confirm: text.allowSignIn,
    mutationFn: () => api.patch('/profile/passkeys/{id}', { params, body: { sign_in: true } }),
    async onSuccess() {
      showSuccess(text.allowed);
      await renew();
    },
  });
  const remove = useConfirmed({
    title: text.askRemove(<bdi>{name}</bdi>),
    children: <Text size="sm">{isLast ? text.lastFactor : text.stopsWorking}</Text>,
    confirm: text.remove,
    color: 'red',
    mutationFn: () => api.delete('/profile/passkeys/{id}', { params }),
    async onSuccess({ message }) {
      showSuccess(message ?? text.removed);
      await renew();
    },
  });
  return (
    <Group component="li" justify="space-between">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            <bdi>{name}</bdi>
          </Text>
          {!sign_in && <StateBadge label={text.secondFactorOnly} color="orange" />}
        </Group>
        <Text size="xs" c="dimmed">
          {text.added(<Ago time={created_at} />)} ·{' '}
          {last_used_at ? text.lastUsed(<Ago time={last_used_at} />) : text.neverUsed}
        </Text>
      </div>
      <Group gap="xs">
        {!sign_in && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={text.allowSignInOf(name)}
            loading={allow.isPending}
            onClick={allow.ask}
          >
            {text.allowSignIn}
          </Button>
        )}
        <Button size="compact-sm" variant="default" aria-label={text.renamePasskey(name)} onClick={open}>
          {text.rename}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={text.removePasskey(name)}
          loading={remove.isPending}
          onClick={remove.ask}
        >
          {text.remove}
        </Button>
      </Group>
      <Modal opened={renaming} onClose={close} title={text.renameThis}>
        <RenamePasskey passkey={passkey} onClose={close} />
      </Modal>
    </Group>
  );
}

interface NameProps {
  initial: string;
  action: string;
  send(name: string): Promise<unknown>;
  onDone(name: string): void;
  onClose(): void;
  children?: ReactNode;
}

/** A form for the name of a passkey. */
function NameForm({ initial, action, send, onDone, onClose, children }: NameProps) {
  const [name, setName] = useState(initial);
  const renew = useRefreshUser();
  const sending = useMutation({
    mutationFn: () => send(name.trim()),
    async onSuccess() {
      onClose();
      onDone(name.trim());
      await renew();
    },
  });
  const own = sending.error instanceof PasskeyProblem;
  return (
    <DialogForm
      sending={{ ...sending, submit: sending.mutate, problem: own ? null : sending.error }}
      action={action}
      isReady={name.trim() !== ''}
      onCancel={onClose}
    >
      {children}
      <TextInput
        label={text.name}
        description={text.whatNameIsFor}
        placeholder={text.exampleOfName}
        maxLength={100}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {own && sending.error && <PasskeyError error={sending.error} />}
    </DialogForm>
  );
}

function AddPasskey({ onClose }: { onClose: () => void }) {
  return (
    <NameForm
      initial=""
      action={text.continueHere}
      onClose={onClose}
      onDone={(name) => showSuccess(text.addedPasskey(name))}
      send={async (name) => {
        const { options } = (await api.post('/profile/passkeys/options')).result;
        return api.post('/profile/passkeys', { body: { name, credential: await storePasskey(options) } });
      }}
    >
      <Text size="sm">{text.confirmOnDevice}</Text>
    </NameForm>
  );
}

const RenamePasskey = ({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) => (
  <NameForm
    initial={name}
    action={text.rename}
    onClose={onClose}
    onDone={() => showSuccess(text.renamed)}
    send={(changed) =>
      api.patch('/profile/passkeys/{id}', { params: { path: { id } }, body: { name: changed } })
    }
  />
);
