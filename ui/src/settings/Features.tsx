import { Alert, Button, Card, Code, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/settings.ts';
import type { Schemas } from '../app/api.ts';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { showError, showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { IconAlertTriangle } from '../icons/icons.ts';
import { mfaQuery } from '../profile/queries.ts';
import { featuresQuery } from './queries.ts';

type Feature = Schemas['OrgFeature'];

const TITLES: Record<string, string> = {
  org_wide_tokens: text.orgWideTokens,
  require_mfa: text.requireMfa,
};

/** The features of the organization. */
export function Features() {
  const features = useQuery(featuresQuery(useOrg()));
  return (
    <Loaded query={features}>
      {(list) => (
        <Stack component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {list.map((feature) => (
            <FeatureCard key={feature.name} feature={feature} />
          ))}
        </Stack>
      )}
    </Loaded>
  );
}

function FeatureCard({ feature }: { feature: Feature }) {
  const { name, description } = feature;
  const org = useOrg();
  const mayChange = org.may('updateOrgFeature');
  const title = TITLES[name] ?? name;
  const id = `feature-${name}`;
  return (
    <Card component="li" withBorder aria-labelledby={id}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Stack gap={6} style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Title order={2} fz="md" id={id}>
              {title}
            </Title>
            <State feature={feature} />
          </Group>
          <Text size="sm">{description}</Text>
          <Text size="xs" c="dimmed" component="div">
            {noteOf(feature, mayChange)} {text.apiName} <Code>{name}</Code>
          </Text>
        </Stack>
        {mayChange && <Toggle feature={feature} title={title} />}
      </Group>
    </Card>
  );
}

/** Tells who can change a feature. */
function noteOf({ provisioned, enabled }: Feature, mayChange: boolean): string {
  if (provisioned) return mayChange ? '' : text.whoMayChange(rolesAllowed('updateOrgFeature'));
  return enabled ? text.administratorFirstAlreadyOn : text.administratorFirst;
}

function State({ feature: { provisioned, enabled } }: { feature: Feature }) {
  const [label, color] = !provisioned
    ? ([text.notAvailable, 'gray'] as const)
    : enabled
      ? ([text.on, 'green'] as const)
      : ([text.off, 'gray'] as const);
  return <StateBadge label={label} color={color} />;
}

function Toggle({ feature: { name, provisioned, enabled }, title }: { feature: Feature; title: string }) {
  const org = useOrg();
  const queries = useQueryClient();
  const change = useAction({
    mutationFn: (to: boolean) =>
      org.api.patch('/org-features/{flag}', { params: { path: { flag: name } }, body: { enabled: to } }),
    onSuccess: (_, to) => {
      showSuccess(to ? text.isOn(title) : text.isOff(title));
      return queries.invalidateQueries({ queryKey: ['org', org.slug] });
    },
  });
  const ask = async (to: boolean) => {
    const mfa = name === 'require_mfa' && to ? await queries.query({ ...mfaQuery, staleTime: 0 }) : undefined;
    confirmChange({ name, to, hasMfa: mfa?.mfa_enabled ?? false, onConfirm: () => change.mutate(to) });
  };
  return (
    <Switch
      aria-label={title}
      size="md"
      checked={enabled}
      disabled={!provisioned || change.isPending}
      onChange={({ currentTarget }) => ask(currentTarget.checked).catch(showError)}
    />
  );
}

interface Change {
  /** The name of the feature. */
  name: string;
  to: boolean;
  /** Whether the owner has MFA. Without it, `require_mfa` locks out the owner as well. */
  hasMfa: boolean;
  onConfirm: () => void;
}

/** Asks before a change with unexpected consequences. Other changes take effect immediately. */
function confirmChange({ name, to, hasMfa, onConfirm }: Change): void {
  if (name === 'org_wide_tokens' && !to) {
    openConfirm({
      title: text.turnOffOrgWideTokens,
      children: <Text size="sm">{text.existingTokensWork}</Text>,
      confirm: text.turnOff,
      onConfirm,
    });
  } else if (name === 'require_mfa' && to) {
    openConfirm({
      title: text.requireMfaOfAll,
      children: <RequireMfa hasMfa={hasMfa} />,
      confirm: hasMfa ? text.requireMfa : text.requireMfaAnyway,
      ...(!hasMfa && { color: 'red' }),
      onConfirm,
    });
  } else {
    onConfirm();
  }
}

function RequireMfa({ hasMfa }: { hasMfa: boolean }) {
  return (
    <Stack>
      <Text size="sm">{text.membersLoseAccess}</Text>
      {!hasMfa && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title={text.youLoseAccess}
          styles={{ title: { color: 'var(--mantine-color-error)' } }}
        >
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{text.noOwnMfa}</Text>
            <Button
              component="a"
              size="xs"
              href={`/profile/mfa?return_to=${encodeURIComponent(location.href)}`}
            >
              {text.setUpMfa}
            </Button>
          </Stack>
        </Alert>
      )}
    </Stack>
  );
}
