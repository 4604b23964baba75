import { Card, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/settings.ts';
import { rolesAllowed } from '../app/roles.ts';
import { type OrgSession, useOrg } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { StateBadge } from '../components/StateBadge.tsx';

/** The security settings of an organization. */
const securityQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'security'],
    queryFn: async ({ signal }) => (await api.get('/settings/security', { signal })).result,
  });

const TITLE = text.verifyWithViewersTokens;
const ID = 'setting-viewer-tokens';

/** Whether API tokens made by viewers may set findings to verified. */
export function ViewerTokens() {
  const org = useOrg();
  const settings = useQuery(securityQuery(org));
  const mayChange = org.may('updateSecuritySettings');
  return (
    <Loaded query={settings}>
      {({ viewer_tokens_verify: on }) => (
        <Card withBorder aria-labelledby={ID} component="section">
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <Stack gap={6} style={{ minWidth: 0 }}>
              <Group gap="xs">
                <Title order={2} fz="md" id={ID}>
                  {TITLE}
                </Title>
                <StateBadge label={on ? text.on : text.off} color={on ? 'green' : 'gray'} />
              </Group>
              <Text size="sm">{text.whoVerifies}</Text>
              {!mayChange && (
                <Text size="xs" c="dimmed">
                  {text.whoMayChange(rolesAllowed('updateSecuritySettings'))}
                </Text>
              )}
            </Stack>
            {mayChange && <Toggle on={on} />}
          </Group>
        </Card>
      )}
    </Loaded>
  );
}

function Toggle({ on }: { on: boolean }) {
  const org = useOrg();
  const queries = useQueryClient();
  const change = useAction({
    mutationFn: (to: boolean) => org.api.patch('/settings/security', { body: { viewer_tokens_verify: to } }),
    onSuccess: (_, to) => {
      showSuccess(to ? text.isOn(TITLE) : text.isOff(TITLE));
      return queries.invalidateQueries({ queryKey: securityQuery(org).queryKey });
    },
  });
  return (
    <Switch
      aria-label={TITLE}
      size="md"
      checked={on}
      disabled={change.isPending}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}
