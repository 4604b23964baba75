import { Card, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { showError, showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { securityQuery } from './security-queries.ts';

const TITLE = 'Verify fixes with viewers’ tokens';
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
                <StateBadge label={on ? 'On' : 'Off'} color={on ? 'green' : 'gray'} />
              </Group>
              <Text size="sm">
                Agents set a finding to verified when a scan confirms its fix. If this is off, tokens created
                by viewers and former members cannot do so.
              </Text>
              {!mayChange && (
                <Text size="xs" c="dimmed">
                  Only {rolesAllowed('updateSecuritySettings')} can change this.
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
  const change = useMutation({
    mutationFn: (to: boolean) => org.api.patch('/settings/security', { body: { viewer_tokens_verify: to } }),
    onSuccess: (_, to) => {
      showSuccess(`“${TITLE}” is ${to ? 'on' : 'off'}.`);
      return queries.invalidateQueries({ queryKey: securityQuery(org).queryKey });
    },
    onError: showError,
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
