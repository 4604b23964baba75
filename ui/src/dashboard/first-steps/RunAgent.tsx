import { Alert, Stack, Tabs, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useRouteContext } from '@tanstack/react-router';
import { useOrg } from '../../app/session.ts';
import { Copyable } from '../../components/Copy.tsx';
import { agentCommands } from '../../projects/agent-commands.ts';
import { MakeToken } from './MakeToken.tsx';

const TOKEN = '<your token>';

interface Props {
  project: { id: string; slug: string };
  /** The token, if it was made just now: the service does not tell it again. */
  token: string | undefined;
  onMade: (token: string) => void;
}

/** The commands that bring the first findings. */
export function RunAgent({ project, token, onMade }: Props) {
  const { slug } = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const commands = agentCommands({ site, org: slug, project: project.slug, token: token ?? `'${TOKEN}'` });
  const ways = [
    {
      value: 'npm',
      label: 'npm audit',
      about: 'In the directory of a Node.js project: known vulnerabilities of its dependencies.',
      command: commands.run,
    },
    {
      value: 'semgrep',
      label: 'Semgrep',
      about: 'In the directory of a repository, with Semgrep installed: flaws in its code.',
      command: 'node svc-agent.mjs run -- semgrep scan --config auto --json --quiet',
    },
    {
      value: 'trivy',
      label: 'Trivy',
      about: 'In the directory of a repository, with Trivy installed: dependencies of any language.',
      command: 'node svc-agent.mjs run --persona senku -- trivy fs --format json --quiet .',
    },
    {
      value: 'report',
      label: 'A report you have',
      about: 'SARIF, or the report of one of 13 other scanners. The format is detected.',
      command: commands.report,
    },
  ];
  return (
    <Stack gap="md">
      {token === undefined ? (
        <Alert color="gray" variant="light" icon={<IconKey />} title="Your token is shown only once">
          <Text size="sm" mb="xs">
            Put it in place of {TOKEN} below. If you do not have it any more, create another one.
          </Text>
          <MakeToken projectId={project.id} onMade={onMade} again />
        </Alert>
      ) : (
        <Alert color="yellow" variant="light" icon={<IconKey />} role="status">
          <Text size="sm">
            The new token is in the commands below. It is shown only now: copy it before you leave this page.
          </Text>
        </Alert>
      )}
      <Stack gap={4}>
        <Text size="sm">
          Get svc-agent (it needs Node.js 20.19 or newer, and nothing else), and tell it where to report:
        </Text>
        <Copyable block value={`${commands.download}\n${commands.settings}`} label="Copy the set-up" />
      </Stack>
      <Stack gap={4}>
        <Text size="sm">Then run a scanner in the same shell, or hand over a report:</Text>
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
              <Copyable block value={command} label="Copy the command" />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Stack>
  );
}
