import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/dashboard/first-steps.tsx';
import { noneAssigned } from '#strings/projects/limited.ts';
import type { Schemas } from '../../app/api.ts';
import { rolesAllowed } from '../../app/roles.ts';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { useSend } from '../../components/forms/use-send.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { Waiting } from '../../components/Waiting.tsx';
import { AddDemoData } from '../../demo/AddDemoData.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import { POLL_MS, scansQuery } from '../../scans/queries.ts';
import { scanName } from '../../scans/scan-name.ts';
import { projectTokensQuery } from '../../tokens/queries.ts';
import { isUsable } from '../../tokens/token-state.ts';
import { LeaveDialog } from '../../uploads/LeaveDialog.tsx';
import { UploadReports } from '../../uploads/UploadReports.tsx';
import { useUploadList, useUploads } from '../../uploads/use-uploads.ts';
import { statsQuery } from '../queries.ts';
import { FirstFindings, WaitForFinding } from './FirstFindings.tsx';
import { CreateToken, RunAgent } from './RunAgent.tsx';
import { Step, type StepState, Steps } from './Step.tsx';

type Project = Schemas['Project'];

/**
 * The steps to the first finding. The existing data determines the current step.
 * @param onDone called when the user leaves the steps after the first finding
 */
export function FirstSteps({ onDone }: { onDone: () => void }) {
  const org = useOrg();
  const projects = useQuery(projectsQuery(org));
  const hasFindings = Boolean(useQuery(statsQuery(org)).data?.total_findings);
  return (
    <Loaded query={projects}>
      {(all) => (
        <Stack>
          <OfProjects
            projects={all.toSorted((a, b) => b.created_at.localeCompare(a.created_at))}
            onDone={onDone}
          />
          {!hasFindings && <AddDemoData onAdded={onDone} />}
        </Stack>
      )}
    </Loaded>
  );
}

/** @param props `projects` is sorted, newest first */
function OfProjects({ projects, onDone }: { projects: Project[]; onDone: () => void }) {
  const org = useOrg();
  const [chosen, setChosen] = useState<string>();
  const project = projects.find(({ id }) => id === chosen) ?? projects[0];
  const [made, setMade] = useState<{ projectId: string; token: string }>();
  // The focus moves only after an action of the user.
  const [acted, setActed] = useState(false);
  const token = made?.projectId === project?.id ? made?.token : undefined;
  const tokens = useQuery({ ...projectTokensQuery(org, project?.id ?? ''), enabled: project !== undefined });
  const hasToken = token !== undefined || (tokens.data?.some(isUsable) ?? false);

  const waits = { refetchInterval: hasToken ? POLL_MS : (false as const) };
  const stats = useQuery({ ...statsQuery(org), ...waits });
  const scans = useQuery({ ...scansQuery(org, { per_page: 1 }), ...waits });
  const [scan] = scans.data?.scans ?? [];
  const found = stats.data?.total_findings ?? 0;

  const uploads = useUploads();
  const uploaded = useUploadList(uploads);
  const [asksToLeave, setAsksToLeave] = useState(false);
  const canUpload = project !== undefined && org.may('uploadReport', project);
  // Stays set when the user removes the result.
  const [isByUpload, setIsByUpload] = useState(false);
  if (!isByUpload && uploaded.some(({ state }) => state.kind === 'imported')) setIsByUpload(true);
  // Findings of an upload need neither a token nor svc-agent. The commands stay: a token is shown only once.
  const needsAgent = !isByUpload || found === 0 || hasToken;

  const onToken = (projectId: string) => (token: string) => {
    setActed(true);
    setMade({ projectId, token });
  };
  const turn = (isDone: boolean, isNext: boolean): StepState =>
    isDone ? 'done' : isNext ? 'current' : 'todo';
  const tokenStep = turn(hasToken || found > 0, project !== undefined && tokens.data !== undefined);
  const runStep = turn(found > 0, hasToken);
  // The current step is open, and would move the others.
  if (!acted && (tokens.isLoading || stats.isLoading)) return <Waiting />;
  return (
    <Steps>
      <Step
        number={1}
        title={text.createProject}
        state={project ? 'done' : 'current'}
        outcome={project && <bdi>{project.name}</bdi>}
      >
        {!project && <CreateProject onCreated={() => setActed(true)} />}
      </Step>
      {canUpload && (
        <li>
          <UploadReports project={project} uploads={uploads} title={text.uploadReport} isStep>
            {needsAgent ? text.uploadToSkip : text.eachReportIsScan}
            {projects.length > 1 && <> {text.uploadsGoTo(<bdi>{project.name}</bdi>)}</>}
          </UploadReports>
        </li>
      )}
      {needsAgent && (
        <>
          <Step
            number={2}
            title={text.createToken}
            state={tokenStep}
            takesFocus={acted}
            outcome={text.forProject(<bdi>{project?.name}</bdi>)}
          >
            {tokenStep === 'current' && project && (
              <>
                <ProjectSelect projects={projects} project={project} onChange={setChosen} />
                <CreateToken projectId={project.id} onCreated={onToken(project.id)} />
              </>
            )}
          </Step>
          <Step
            number={3}
            title={text.runAgent}
            state={runStep}
            takesFocus={acted}
            outcome={!hasToken && scan && <bdi>{scanName(scan)}</bdi>}
          >
            {/* Stays open after the first finding: the user may be reading it. */}
            {hasToken && project && (
              <>
                <ProjectSelect projects={projects} project={project} onChange={setChosen} />
                <RunAgent project={project} token={token} onCreated={onToken(project.id)} />
              </>
            )}
          </Step>
        </>
      )}
      <Step
        // Takes the place of steps 2 and 3 after an upload, instead of moving there.
        key={needsAgent ? 'agent' : 'upload'}
        number={4}
        title={found > 0 ? text.firstFindingReceived : text.seeFirstFinding}
        state={runStep}
      >
        {runStep === 'current' && <WaitForFinding scan={scan} />}
        {runStep === 'done' && (
          <FirstFindings
            findings={stats.data?.recent_findings ?? []}
            total={found}
            uploadedTo={isByUpload ? project : undefined}
            onDone={() => (uploads.isBusy() ? setAsksToLeave(true) : onDone())}
          />
        )}
      </Step>
      <LeaveDialog opened={asksToLeave} onStay={() => setAsksToLeave(false)} onLeave={onDone} />
    </Steps>
  );
}

function ProjectSelect(props: { projects: Project[]; project: Project; onChange: (id: string) => void }) {
  const { projects, project, onChange } = props;
  if (projects.length < 2) return null;
  return (
    <Select
      label={text.project}
      data={projects.map(({ id, name }) => ({ value: id, label: name }))}
      value={project.id}
      onChange={(id) => id !== null && onChange(id)}
      allowDeselect={false}
      maw={320}
      mb="sm"
    />
  );
}

/**
 * Creates the first project.
 * @param onCreated called before the project is in the list
 */
function CreateProject({ onCreated }: { onCreated: () => void }) {
  const org = useOrg();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  const make = useSend(form, {
    send: ({ name }) => org.api.post('/projects', { body: { name: name.trim() } }),
    onSent: async ({ result: project }) => {
      onCreated();
      // The next step opens with the response: later it would move what the user already reads.
      queries.setQueryData(projectTokensQuery(org, project.id).queryKey, []);
      queries.setQueryData(projectsQuery(org).queryKey, [project]);
      await queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey });
    },
  });
  if (!org.may('createProject')) {
    return (
      <Text size="sm">
        {org.isLimited ? noneAssigned : text.onlyRolesCreateProjects(rolesAllowed('createProject'))}
      </Text>
    );
  }
  return (
    <form noValidate onSubmit={make.submit}>
      <Stack gap="sm">
        <Text size="sm">{text.whatProjectIs}</Text>
        <Group align="flex-start" gap="sm">
          <TextInput
            label={text.projectName}
            placeholder={text.exampleProject}
            maxLength={100}
            required
            withAsterisk={false}
            autoComplete="off"
            w={{ base: '100%', xs: 320 }}
            {...form.getInputProps('name')}
          />
          <Button type="submit" loading={make.isPending} mt={{ base: 0, xs: 25 }}>
            {text.create}
          </Button>
        </Group>
        {make.problem !== undefined && <Problem error={make.problem} />}
      </Stack>
    </form>
  );
}
