import { Alert, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import * as text from '#strings/dashboard/first-steps.tsx';
import { FORMATS } from '../../../../lib/importers/names.ts';
import { useOrg } from '../../app/session.ts';
import { Copyable } from '../../components/Copy.tsx';
import { Problem } from '../../components/errors/Problem.tsx';
import { IconKey } from '../../icons/icons.ts';
import { agentCommands } from '../../projects/agent-commands.ts';
import { tokensKey } from '../../tokens/queries.ts';

interface Props {
  project: { id: string; slug: string };
  /** The token if it was just created. The service never returns it again. */
  token: string | undefined;
  onCreated: (token: string) => void;
}

/** The commands that send the first findings. */
export function RunAgent({ project, token, onCreated }: Props) {
  const { slug } = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const commands = agentCommands({
    site,
    org: slug,
    project: project.slug,
    token: token ?? `'${text.yourToken}'`,
  });
  const ways = [
    {
      value: 'npm',
      label: text.npmAudit,
      about: text.aboutNpmAudit,
      command: commands.run,
    },
    {
      value: 'semgrep',
      label: text.semgrep,
      about: text.aboutSemgrep,
      command: 'node svc-agent.mjs run -- semgrep scan --config auto --json --quiet',
    },
    {
      value: 'trivy',
      label: text.trivy,
      about: text.aboutTrivy,
      command: 'node svc-agent.mjs run --persona senku -- trivy fs --format json --quiet .',
    },
    {
      value: 'report',
      label: text.existingReport,
      about: text.aboutReport(FORMATS.length),
      command: commands.report,
    },
  ];
  return (
    <Stack gap="md">
      {token === undefined ? (
        <Alert color="gray" variant="light" icon={<IconKey />} title={text.tokenShownOnce}>
          <Text size="sm" mb="xs">
            {text.replaceToken(text.yourToken)}
          </Text>
          <CreateToken projectId={project.id} onCreated={onCreated} again />
        </Alert>
      ) : (
        <Alert color="yellow" variant="light" icon={<IconKey />} role="status">
          <Text size="sm">{text.copyTokenNow}</Text>
        </Alert>
      )}
      <Stack gap={4}>
        <Text size="sm">{text.downloadAgent}</Text>
        <Copyable block value={`${commands.download}\n${commands.settings}`} label={text.copySetupCommands} />
      </Stack>
      <Stack gap={4}>
        <Text size="sm">{text.runScanner}</Text>
        <Tabs defaultValue="npm" keepMounted={false}>
          <Tabs.List>
            {ways.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {ways.map(({ value, about, command }) => (
            <Tabs.Panel key={value} value={value} pt="xs">
              <Text size="sm" c="dimmed" mb={4}>
                {about}
              </Text>
              <Copyable block value={command} label={text.copyCommand} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Stack>
  );
}

const DAYS = 90;

/** Creates a token for the first scan. */
export function CreateToken(props: {
  projectId: string;
  onCreated: (token: string) => void;
  again?: boolean;
}) {
  const { projectId, onCreated, again = false } = props;
  const org = useOrg();
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: async () => {
      const body = { name: text.tokenName, expires_in: DAYS };
      return (await org.api.post('/projects/{projectId}/tokens', { params: { path: { projectId } }, body }))
        .result;
    },
    onSuccess: async ({ token }) => {
      onCreated(token);
      await queries.invalidateQueries({ queryKey: tokensKey(org) });
    },
  });
  return (
    <Stack gap="sm">
      {!again && <Text size="sm">{text.whatTokenIs(DAYS)}</Text>}
      <Group>
        <Button
          onClick={() => make.mutate()}
          loading={make.isPending}
          {...(again && { variant: 'default', size: 'xs' })}
        >
          {again ? text.createAnotherToken : text.createNewToken}
        </Button>
      </Group>
      {make.error && <Problem error={make.error} />}
    </Stack>
  );
}
