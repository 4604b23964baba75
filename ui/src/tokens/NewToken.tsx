import { Button, Group, Modal, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useOrg } from '../app/session.ts';
import { Copyable } from '../components/Copy.tsx';
import { Problem } from '../components/errors/Problem.tsx';
import { toFields } from '../components/forms/to-fields.ts';
import { KEPT_OPEN, ShownOnce } from '../components/ShownOnce.tsx';
import { tokensKey } from './queries.ts';
import { daysFromNow } from './token-state.ts';

const EXPIRIES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '0', label: 'Never' },
  { value: 'own', label: 'Another number of days' },
];
const MAX_DAYS = 36_500;
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

interface Props {
  opened: boolean;
  /** Of which the token shall be; of the whole organization when left out. */
  project?: { id: string; name: string };
  onClose: () => void;
  /** Told the token, which the service does not tell again. */
  onMade?: (token: string) => void;
}

/** Makes a token, and shows it. */
export function NewToken({ opened, project, onClose, onMade }: Props) {
  const [token, setToken] = useState<string>();
  const title = project ? (
    <>
      New token for <bdi>{project.name}</bdi>
    </>
  ) : (
    'New org-wide token'
  );
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setToken(undefined)}
      size="lg"
      title={token === undefined ? title : 'Your new token'}
      {...(token !== undefined && KEPT_OPEN)}
    >
      {token === undefined ? (
        <TokenForm
          projectId={project?.id}
          onCancel={onClose}
          onMade={(made) => {
            setToken(made);
            onMade?.(made);
          }}
        />
      ) : (
        <Made token={token} onClose={onClose} />
      )}
    </Modal>
  );
}

function TokenForm(props: {
  projectId: string | undefined;
  onCancel: () => void;
  onMade: (token: string) => void;
}) {
  const { projectId, onCancel, onMade } = props;
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: '', expiry: '90', expires_in: 180 as number | string },
    validate: {
      name: (name) => (name.trim() === '' ? 'Give it a name, such as where it is used' : null),
      expires_in: (days, { expiry }) =>
        expiry !== 'own' || (Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS)
          ? null
          : 'A whole number from 1 to 36,500',
    },
  });
  const { expiry, expires_in } = form.values;
  const days = Number(expiry === 'own' ? expires_in : expiry);
  const make = useMutation({
    mutationFn: async (name: string) => {
      const body = { name, expires_in: days };
      return projectId === undefined
        ? (await org.api.post('/tokens', { body })).result
        : (await org.api.post('/projects/{projectId}/tokens', { params: { path: { projectId } }, body }))
            .result;
    },
    onSuccess: async ({ token }) => {
      onMade(token);
      await queries.invalidateQueries({ queryKey: tokensKey(org) });
    },
  });
  const [problem, setProblem] = useState<unknown>();
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name }) => {
        setProblem(undefined);
        make.mutate(name.trim(), { onError: (error) => setProblem(toFields(form, error)) });
      })}
    >
      <Stack>
        <TextInput
          label="Name"
          description="Where it is used, so that it can be told from others later."
          placeholder="ci"
          maxLength={100}
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <Select
          label="Expires after"
          data={EXPIRIES}
          allowDeselect={false}
          {...form.getInputProps('expiry')}
        />
        {expiry === 'own' && (
          <NumberInput
            label="Days"
            min={1}
            max={MAX_DAYS}
            clampBehavior="none"
            allowDecimal={false}
            {...form.getInputProps('expires_in')}
          />
        )}
        <Text size="sm" c="dimmed" aria-live="polite">
          {days > 0 && days <= MAX_DAYS
            ? `It works until ${day.format(daysFromNow(days))}.`
            : days === 0
              ? 'It works until somebody revokes it.'
              : ''}
        </Text>
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Made({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <ShownOnce
      warning="This is the only time it is shown. Put it where your secrets are, such as those of your CI; it is not for files or for chats."
      saved="I have saved the token"
      onClose={onClose}
    >
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          Token
        </Text>
        <Copyable value={token} label="Copy the token" />
      </Stack>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          For a shell
        </Text>
        <Copyable value={`export SVC_API_KEY=${token}`} label="Copy the command" />
      </Stack>
    </ShownOnce>
  );
}
