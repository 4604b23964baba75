import { Alert, Anchor, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/profile/data.tsx';
import { api, ServiceError } from '../../app/api.ts';
import { useMe } from '../../app/session.ts';
import { useAction } from '../../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../../components/errors/toasts.ts';
import { saveFile } from '../../components/save-file.ts';
import { DeletionCard } from '../../deletion/TypedConfirmation.tsx';
import { IconAlertTriangle, IconDownload } from '../../icons/icons.ts';

/** Downloads what is stored about the user, and deletes the account. */
export function YourData() {
  const download = useAction({
    mutationFn: async () => (await api.get('/auth/me/export')).result,
    onSuccess: (data) => {
      const name = text.fileName(data.exported_at.slice(0, 10));
      saveFile(new File([JSON.stringify(data, null, 2)], name, { type: 'application/json' }));
      showSuccess(text.downloaded);
    },
  });
  return (
    <Stack gap="xl">
      <Stack>
        <div>
          <Title order={2}>{text.title}</Title>
          <Text size="sm" c="dimmed" maw="44rem">
            {text.what}
          </Text>
        </div>
        <Group gap="sm">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            {text.download}
          </Button>
          <Text size="sm" c="dimmed">
            {text.downloadWhat}
          </Text>
        </Group>
      </Stack>
      <DeleteAccount />
    </Stack>
  );
}

/** Deletes the account, after its address was typed. */
function DeleteAccount() {
  const { user } = useMe();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const [owned, setOwned] = useState<string[]>([]);
  const remove = async (close: () => void) => {
    try {
      await api.delete('/auth/me', { body: { confirm: user.email } });
    } catch (error) {
      const slugs = solelyOwned(error);
      if (slugs.length === 0) throw error;
      setOwned(slugs);
      return close();
    }
    // Another page, which clears the memory.
    location.assign(site.signInUrl('/login'));
  };
  return (
    <DeletionCard
      label={text.deleteAccount}
      ask={text.deleteAccountAsk}
      consequences={text.accountIsGone}
      refusal={owned.length > 0 && <OnlyOwner slugs={owned} />}
      title={text.deleteThisAccount}
      word={user.email}
      onConfirm={remove}
    />
  );
}

/** The slugs of the organizations that would have no owner. */
const solelyOwned = (error: unknown): string[] =>
  error instanceof ServiceError && error.status === 409
    ? error.details.filter(({ field }) => field === 'orgs').map(({ message }) => message)
    : [];

/** Leads to the members of the organizations that keep the account. */
function OnlyOwner({ slugs }: { slugs: readonly string[] }) {
  const { orgs } = useMe();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  return (
    <Alert
      role="alert"
      color="yellow"
      variant="light"
      icon={<IconAlertTriangle />}
      title={text.onlyOwner(slugs.length)}
      styles={{ message: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="xs">
        <Text size="sm">{text.makeAnotherOwner(slugs.length)}</Text>
        <List size="sm">
          {slugs.map((slug) => (
            <List.Item key={slug}>
              <Anchor size="sm" c="inherit" underline="always" href={site.orgUrl(slug, '/members')}>
                <bdi>{text.membersOf(orgs.find((org) => org.slug === slug)?.name ?? slug)}</bdi>
              </Anchor>
            </List.Item>
          ))}
        </List>
      </Stack>
    </Alert>
  );
}
