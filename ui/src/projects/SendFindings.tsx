import { Anchor, Card, List, Stack, Tabs, Text } from '@mantine/core';
import { useRouteContext } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import * as text from '#strings/projects.tsx';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { Copyable } from '../components/Copy.tsx';
import { SectionHead } from '../components/SectionHead.tsx';
import { agentCommands, ciSettings } from './agent-commands.ts';

/** Instructions to send findings to a project, complete except for the token. */
export function SendFindings({ project }: { project: Schemas['Project'] }) {
  const { slug: org } = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const target = { site, org, project: project.slug };
  const commands = agentCommands(target);
  const settings = ciSettings(target);
  return (
    <Card withBorder component="section" aria-labelledby="send">
      <Stack>
        <SectionHead
          title={text.sendFindings}
          description={text.whatAgentReads((label) => (
            <Anchor href="/api/v1/docs" underline="always">
              {label}
            </Anchor>
          ))}
          id="send"
        />
        <Tabs defaultValue="shell" keepMounted={false}>
          <Tabs.List aria-label={text.environment}>
            <Tabs.Tab value="shell">{text.shell}</Tabs.Tab>
            <Tabs.Tab value="github">{text.github}</Tabs.Tab>
            <Tabs.Tab value="gitlab">{text.gitlab}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="shell" pt="md">
            <Stack component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
              <Step title={text.downloadAgent}>
                <Copyable value={commands.download} label={text.copyCommand} />
              </Step>
              <Step title={text.setDestination}>
                <Copyable block value={commands.settings} label={text.copySettings} />
              </Step>
              <Step title={text.runScanner}>
                <Copyable value={commands.run} label={text.copyRun} />
                <Copyable value={commands.report} label={text.copyReport} />
              </Step>
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="github" pt="md">
            <Ci trust={text.trustGithub} file={githubWorkflow(settings)} />
          </Tabs.Panel>
          <Tabs.Panel value="gitlab" pt="md">
            <Ci trust={text.trustGitlab} file={gitlabJob(settings)} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Card>
  );
}

const Step = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack component="li" gap={6}>
    <Text size="sm" fw={500}>
      {title}
    </Text>
    {children}
  </Stack>
);

const Ci = ({ trust, file }: { trust: string; file: string }) => (
  <Stack>
    <List size="sm">
      <List.Item>{trust}</List.Item>
      <List.Item>{text.addConfiguration}</List.Item>
    </List>
    <Copyable block value={file} label={text.copyConfiguration} />
  </Stack>
);

const yaml = (settings: Record<string, string>, indent: string) =>
  Object.entries(settings)
    .map(([name, value]) => `${indent}${name}: ${JSON.stringify(value)}`)
    .join('\n');

const githubWorkflow = (settings: Record<string, string>) => `name: security
on: [push]
permissions:
  contents: read
  id-token: write
jobs:
  scan:
    runs-on: ubuntu-latest
    env:
${yaml(settings, '      ')}
    steps:
      - uses: actions/checkout@v4
      - run: pipx install semgrep
      - name: Get svc-agent
        working-directory: \${{ runner.temp }}
        run: |
          curl -fsSLO "$SVC_BASE_URL/assets/svc-agent.mjs" -O "$SVC_BASE_URL/assets/svc-agent.mjs.sha256"
          sha256sum -c svc-agent.mjs.sha256
      - name: Scan
        run: >-
          node "$RUNNER_TEMP/svc-agent.mjs" run
          --name "$GITHUB_REF_NAME $GITHUB_SHA"
          --fail-on high -- semgrep scan --config auto --json --quiet`;

const gitlabJob = (settings: Record<string, string>) => `dependencies:
  image: node:22
  id_tokens:
    SVC_ID_TOKEN:
      aud: ${JSON.stringify(settings.SVC_BASE_URL)}
  variables:
${yaml(settings, '    ')}
  script:
    - >-
      (cd /tmp
      && curl -fsSLO "$SVC_BASE_URL/assets/svc-agent.mjs" -O "$SVC_BASE_URL/assets/svc-agent.mjs.sha256"
      && sha256sum -c svc-agent.mjs.sha256)
    - node /tmp/svc-agent.mjs run --persona senku --name "$CI_COMMIT_REF_NAME $CI_COMMIT_SHORT_SHA" --fail-on critical -- npm audit --json
  cache:
    key: svc
    when: always
    paths: [.svc/scans]`;
