import { Alert, Stack, Tabs, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useRouteContext } from '@tanstack/react-router';
import { FORMATS } from '../../../../lib/importers/names.ts';
import { useOrg } from '../../app/session.ts';
import { Copyable } from '../../components/Copy.tsx';
import { agentCommands } from '../../projects/agent-commands.ts';
import { CreateToken } from './CreateToken.tsx';

const TOKEN = '<your token>';

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
  const commands = agentCommands({ site, org: slug, project: project.slug, token: token ?? `'${TOKEN}'` });
  const ways = [
    {
      value: 'npm',
      label: 'npm audit',
      about: 'Finds known vulnerabilities of dependencies. Run it in the directory of a Node.js project.',
      command: commands.run,
    },
    {
      value: 'semgrep',
      label: 'Semgrep',
      about: 'Finds flaws in code. Run it in the directory of a repository. Semgrep must be installed.',
      command: 'node svc-agent.mjs run -- semgrep scan --config auto --json --quiet',
    },
    {
      value: 'trivy',
      label: 'Trivy',
      about:
        'Finds vulnerable dependencies of any language. Run it in the directory of a repository. Trivy must be installed.',
      command: 'node svc-agent.mjs run --persona senku -- trivy fs --format json --quiet .',
    },
    {
      value: 'report',
      label: 'Existing report',
      about: `Sends a report in one of ${FORMATS.length} formats, such as SARIF. svc-agent detects the format.`,
      command: commands.report,
    },
  ];
  return (
    <Stack gap="md">
      {token === undefined ? (
        <Alert color="gray" variant="light" icon={<IconKey />} title="Your token is shown only once">
          <Text size="sm" mb="xs">
            Replace {TOKEN} below with your token. If you no longer have it, create another one.
          </Text>
          <CreateToken projectId={project.id} onCreated={onCreated} again />
        </Alert>
      ) : (
        <Alert color="yellow" variant="light" icon={<IconKey />} role="status">
          <Text size="sm">
            The new token is in the commands below. It is shown only once. Copy it before you leave this page.
          </Text>
        </Alert>
      )}
      <Stack gap={4}>
        <Text size="sm">
          Download svc-agent, which needs only Node.js 20.19 or newer, and set the destination:
        </Text>
        <Copyable
          block
          value={`${commands.download}\n${commands.settings}`}
          label="Copy the setup commands"
        />
      </Stack>
      <Stack gap={4}>
        <Text size="sm">Then run a scanner in the same shell, or send an existing report:</Text>
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
