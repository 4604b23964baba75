import { Alert, Button, Card, Code, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import * as text from '#strings/settings.ts';
import type { Schemas } from '../app/api.ts';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { showError, showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { useAnchor } from '../components/SectionCard.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { IconAlertTriangle } from '../icons/icons.ts';
import { mfaQuery } from '../profile/queries.ts';
import { featuresQuery, securityQuery } from './queries.ts';

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
  const { name, description, provisioned, enabled } = feature;
  const org = useOrg();
  const queries = useQueryClient();
  const mayChange = org.may('updateOrgFeature');
  return (
    <SwitchCard
      component="li"
      title={TITLES[name] ?? name}
      description={description}
      note={
        <>
          {noteOf(feature, mayChange)} {text.apiName} <Code>{name}</Code>
        </>
      }
      isOn={enabled}
      isAvailable={provisioned}
      mayChange={mayChange}
      queryKey={['org', org.slug]}
      save={(to) =>
        org.api.patch('/org-features/{flag}', { params: { path: { flag: name } }, body: { enabled: to } })
      }
      ask={async (to, onConfirm) => {
        const isMfa = name === 'require_mfa' && to;
        const mfa = isMfa ? await queries.query({ ...mfaQuery, staleTime: 0 }) : undefined;
        confirmChange({ name, to, hasMfa: mfa?.mfa_enabled ?? false, onConfirm });
      }}
    />
  );
}

/** Tells who can change a feature. */
function noteOf({ provisioned, enabled }: Feature, mayChange: boolean): string {
  if (provisioned) return mayChange ? '' : text.whoMayChange(rolesAllowed('updateOrgFeature'));
  return enabled ? text.administratorFirstAlreadyOn : text.administratorFirst;
}

/** Whether API tokens made by viewers may set findings to verified. */
export function ViewerTokens() {
  const org = useOrg();
  const query = securityQuery(org);
  const settings = useQuery(query);
  const mayChange = org.may('updateSecuritySettings');
  return (
    <Loaded query={settings}>
      {({ viewer_tokens_verify: isOn }) => (
        <SwitchCard
          component="section"
          title={text.verifyWithViewersTokens}
          description={text.whoVerifies}
          note={!mayChange && text.whoMayChange(rolesAllowed('updateSecuritySettings'))}
          isOn={isOn}
          mayChange={mayChange}
          queryKey={query.queryKey}
          save={(to) => org.api.patch('/settings/security', { body: { viewer_tokens_verify: to } })}
        />
      )}
    </Loaded>
  );
}

interface SwitchCardProps {
  component: 'li' | 'section';
  title: string;
  description: string;
  note: ReactNode;
  isOn: boolean;
  isAvailable?: boolean;
  mayChange: boolean;
  save(to: boolean): Promise<unknown>;
  /** The queries that read the setting. */
  queryKey: QueryKey;
  /** Calls the function if the user confirms. */
  ask?(to: boolean, onConfirm: () => void): Promise<void>;
}

/** A setting that is on or off, with a switch for those who may change it. */
function SwitchCard(props: SwitchCardProps) {
  const {
    component,
    title,
    description,
    note,
    isOn,
    isAvailable = true,
    mayChange,
    save,
    queryKey,
    ask,
  } = props;
  const id = useId();
  const queries = useQueryClient();
  const change = useAction({
    mutationFn: save,
    onSuccess: (_, to) => {
      showSuccess(to ? text.isOn(title) : text.isOff(title));
      return queries.invalidateQueries({ queryKey });
    },
  });
  const set = (to: boolean) => {
    const onConfirm = () => change.mutate(to);
    if (ask) ask(to, onConfirm).catch(showError);
    else onConfirm();
  };
  const state = isOn ? text.on : text.off;
  return (
    <Card component={component} withBorder aria-labelledby={id}>
      <Group {...useAnchor<HTMLDivElement>(title)} justify="space-between" wrap="nowrap" align="flex-start">
        <Stack gap={6} style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Title order={2} id={id}>
              {title}
            </Title>
            <StateBadge
              label={isAvailable ? state : text.notAvailable}
              color={isAvailable && isOn ? 'green' : 'gray'}
            />
          </Group>
          <Text size="sm">{description}</Text>
          {(note || mayChange) && (
            <Text size="xs" c="dimmed" component="div">
              {mayChange && isAvailable && text.takesEffectAtOnce} {note}
            </Text>
          )}
        </Stack>
        {mayChange && (
          <Switch
            aria-label={title}
            size="md"
            checked={isOn}
            disabled={!isAvailable || change.isPending}
            onChange={({ currentTarget }) => set(currentTarget.checked)}
          />
        )}
      </Group>
    </Card>
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
