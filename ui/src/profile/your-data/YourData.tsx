import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import * as text from '#strings/profile/data.tsx';
import { api } from '../../app/api.ts';
import { showError, showSuccess } from '../../components/errors/toasts.ts';
import { saveFile } from '../../components/save-file.ts';
import { IconDownload } from '../../icons/icons.ts';
import { DeleteAccount } from './DeleteAccount.tsx';

/** Downloads what is stored about the user, and deletes the account. */
export function YourData() {
  const download = useMutation({
    mutationFn: async () => (await api.get('/auth/me/export')).result,
    onSuccess: (data) => {
      const name = text.fileName(data.exported_at.slice(0, 10));
      saveFile(new File([JSON.stringify(data, null, 2)], name, { type: 'application/json' }));
      showSuccess(text.downloaded);
    },
    onError: showError,
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
