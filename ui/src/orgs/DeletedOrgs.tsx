import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/orgs.ts';
import { api, type Schemas } from '../app/api.ts';
import { showError, showSuccess } from '../components/errors/toasts.ts';
import { dateTime } from '../components/time/Time.tsx';
import { useRefreshUser } from '../profile/use-refresh-user.ts';

const deletedQuery = queryOptions({
  queryKey: ['orgs', 'deleted'],
  queryFn: async ({ signal }) =>
    (await api.get('/orgs', { signal })).result.filter(({ deleted_at }) => deleted_at !== undefined),
  staleTime: 0,
});

/** The deleted organizations that the user can restore. Empty while they load, because most users have none. */
export function DeletedOrgs() {
  const { data: deleted = [] } = useQuery(deletedQuery);
  if (deleted.length === 0) return null;
  return (
    <Stack component="section" aria-labelledby="deleted-organizations" gap="sm" mt="md">
      <div>
        <Title order={2} fz="md" id="deleted-organizations">
          {text.deletedOrganizations}
        </Title>
        <Text size="sm" c="dimmed">
          {text.restorable}
        </Text>
      </div>
      {deleted.map((org) => (
        <DeletedOrg key={org.id} org={org} />
      ))}
    </Stack>
  );
}

function DeletedOrg({ org }: { org: Schemas['Organization'] }) {
  const { name, slug, purge_at } = org;
  const queries = useQueryClient();
  const refresh = useRefreshUser();
  const restore = useMutation({
    mutationFn: () => api.post('/orgs/{slug}/restore', { params: { path: { slug } } }),
    onSuccess: async () => {
      showSuccess(text.restored(name));
      await Promise.all([refresh(), queries.invalidateQueries({ queryKey: deletedQuery.queryKey })]);
    },
    onError: showError,
  });
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{name}</bdi>
          </Text>
          <Text size="sm" c="dimmed">
            {slug}
          </Text>
          {purge_at !== undefined && <Text size="sm">{text.removedOn(dateTime(purge_at))}</Text>}
        </div>
        <Button
          variant="default"
          size="sm"
          aria-label={text.restoreThis(name)}
          loading={restore.isPending}
          onClick={() => restore.mutate()}
        >
          {text.restore}
        </Button>
      </Group>
    </Card>
  );
}
