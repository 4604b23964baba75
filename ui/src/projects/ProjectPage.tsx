import { Button, Card, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import * as text from '#strings/projects.tsx';
import { LEAST_TOKEN_CREATOR } from '../../../lib/members/roles.ts';
import type { Schemas } from '../app/api.ts';
import { ROLES } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { Copy } from '../components/Copy.tsx';
import { isFinal } from '../components/errors/problem.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { SectionHead } from '../components/SectionHead.tsx';
import { Ago } from '../components/time/Time.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { projectNumbersQuery } from '../dashboard/queries.ts';
import { RegressedCount, SeverityCounts } from '../findings/SeverityCounts.tsx';
import { ATTENTION } from '../findings/views.ts';
import { IconBug, IconPlus, IconRadar, IconSettings } from '../icons/icons.ts';
import { securityQuery } from '../settings/queries.ts';
import { CiTrusts } from '../tokens/ci/CiTrusts.tsx';
import { NewToken } from '../tokens/NewToken.tsx';
import { projectTokensQuery } from '../tokens/queries.ts';
import { TokenTable } from '../tokens/TokenTable.tsx';
import { isCiSystem } from '../tokens/token-state.ts';
import { UploadReports } from '../uploads/UploadReports.tsx';
import { useUploads } from '../uploads/use-uploads.ts';
import { People } from './People.tsx';
import { projectQuery } from './queries.ts';
import { SendFindings } from './SendFindings.tsx';

type Project = Schemas['Project'];

const route = getRouteApi('/_signed-in/o/$org/projects/$slug');

/** One project: its numbers, uploads, its tokens, and instructions to send findings. */
export function ProjectPage() {
  const { slug } = route.useParams();
  const project = useQuery(projectQuery(useOrg(), slug));
  if (project.data) return <Content key={project.data.id} project={project.data} />;
  return (
    <Page title={isFinal(project.error) ? text.projectNotFound : text.project}>
      <Loaded query={project}>{() => null}</Loaded>
    </Page>
  );
}

function Content({ project }: { project: Project }) {
  const { may } = useOrg();
  const search = { project_id: project.id };
  return (
    <Page
      title={project.name}
      description={
        <Group component="span" gap="0 1rem" c="dimmed" fz="sm">
          <Group component="span" gap={4} wrap="nowrap">
            <Code>{project.slug}</Code>
            <Copy value={project.slug} label={text.copySlug} />
          </Group>
          <Group component="span" gap={4} wrap="nowrap">
            {text.id}
            <Copy value={project.id} label={text.copyId} />
          </Group>
          <span>{text.createdAt(<Ago time={project.created_at} />)}</span>
        </Group>
      }
      actions={
        <>
          <OrgButton
            to="/o/$org/findings"
            search={{ ...ATTENTION, ...search }}
            leftSection={<IconBug size={16} />}
          >
            {text.findings}
          </OrgButton>
          <OrgButton
            to="/o/$org/scans"
            search={search}
            variant="default"
            leftSection={<IconRadar size={16} />}
          >
            {text.scans}
          </OrgButton>
          {may('updateProject', project) && (
            <OrgButton
              to="/o/$org/projects/$slug/settings"
              params={{ slug: project.slug }}
              variant="default"
              leftSection={<IconSettings size={16} />}
            >
              {text.settings}
            </OrgButton>
          )}
        </>
      }
    >
      <Numbers project={project} />
      {may('uploadReport', project) && <Upload project={project} />}
      <Tokens project={project} />
      <CiTrusts project={project} />
      <People project={project} />
      <SendFindings project={project} />
    </Page>
  );
}

function Numbers({ project }: { project: Project }) {
  const { data, isPending } = useQuery(projectNumbersQuery(useOrg()));
  const numbers = data?.find((one) => one.project.id === project.id);
  if (isPending) return <Waiting />;
  if (!numbers) return null;
  return (
    <Card withBorder>
      <Group gap="xl" align="flex-start">
        <Fact name={text.needsAttention}>
          <SeverityCounts counts={numbers.attention} projectId={project.id} />
        </Fact>
        <Fact name={text.regressed}>
          <RegressedCount count={numbers.regressed.total} projectId={project.id} />
        </Fact>
        <Fact name={text.allFindings}>
          <Text size="sm" fw={600}>
            {text.count(numbers.total)}
          </Text>
        </Fact>
        <Fact name={text.lastScan}>
          <Text size="sm">{numbers.last_scan_at ? <Ago time={numbers.last_scan_at} /> : text.never}</Text>
        </Fact>
      </Group>
    </Card>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <Stack gap={4}>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    {children}
  </Stack>
);

function Upload({ project }: { project: Project }) {
  const uploads = useUploads();
  return (
    <UploadReports project={project} uploads={uploads} title={text.uploadReports}>
      {text.reportBecomesScan}
    </UploadReports>
  );
}

function Tokens({ project }: { project: Project }) {
  const org = useOrg();
  const tokens = useQuery(projectTokensQuery(org, project.id));
  const settings = useQuery(securityQuery(org)).data;
  const least = settings && LEAST_TOKEN_CREATOR[settings.project_token_creators];
  const mayCreate = least && ROLES.indexOf(project.role ?? org.role) <= ROLES.indexOf(least);
  const [opened, { open, close }] = useDisclosure();
  return (
    <Card withBorder component="section" aria-labelledby="tokens">
      <Stack>
        <Group justify="space-between">
          <SectionHead title={text.apiTokens} description={text.whatTokensAre} id="tokens" />
          {mayCreate && (
            <Button size="sm" variant="default" leftSection={<IconPlus size={16} />} onClick={open}>
              {text.newToken}
            </Button>
          )}
        </Group>
        <Loaded query={tokens}>
          {(list) => <TokenTable tokens={list.filter((token) => !isCiSystem(token))} />}
        </Loaded>
        <NewToken opened={opened} project={project} onClose={close} />
      </Stack>
    </Card>
  );
}
