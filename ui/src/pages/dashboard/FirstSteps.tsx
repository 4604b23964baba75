import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api.ts';
import { Loaded } from '../../parts/Loaded.tsx';
import { isUsable } from '../../parts/token-state.ts';
import { statsQuery } from '../../queries/dashboard.ts';
import { projectsQuery } from '../../queries/projects.ts';
import { POLL_MS, scansQuery } from '../../queries/scans.ts';
import { projectTokensQuery } from '../../queries/tokens.ts';
import { useOrg } from '../../session.ts';
import { Arrived, Waits } from './FirstFinding.tsx';
import { MakeProject } from './MakeProject.tsx';
import { MakeToken } from './MakeToken.tsx';
import { RunAgent } from './RunAgent.tsx';
import { Step, type StepState, Steps } from './Step.tsx';

type Project = Schemas['Project'];

/**
 * Leads to the first finding. Which step is next is told by what there is already.
 * @param onDone told when the first finding was seen
 */
export function FirstSteps({ onDone }: { onDone: () => void }) {
  const projects = useQuery(projectsQuery(useOrg()));
  return (
    <Loaded query={projects}>
      {(all) => {
        const newest = all.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
        return newest[0] ? (
          <OfProject projects={newest} first={newest[0]} onDone={onDone} />
        ) : (
          <Steps>
            <Step number={1} title="Create a project" state="current">
              <MakeProject />
            </Step>
            <Step number={2} title="Create a token" state="todo" />
            <Step number={3} title="Run svc-agent" state="todo" />
            <Step number={4} title="See the first finding" state="todo" />
          </Steps>
        );
      }}
    </Loaded>
  );
}

function OfProject(props: { projects: Project[]; first: Project; onDone: () => void }) {
  const { projects, first, onDone } = props;
  const org = useOrg();
  const [projectId, setProjectId] = useState(first.id);
  const project = projects.find(({ id }) => id === projectId) ?? first;
  const [made, setMade] = useState<{ projectId: string; token: string }>();
  const token = made?.projectId === project.id ? made.token : undefined;
  const tokens = useQuery(projectTokensQuery(org, project.id));
  const hasToken = token !== undefined || (tokens.data?.some(isUsable) ?? false);

  const waits = { refetchInterval: hasToken ? POLL_MS : (false as const) };
  const stats = useQuery({ ...statsQuery(org), ...waits });
  const scans = useQuery({ ...scansQuery(org, { per_page: 1 }), ...waits });
  const [scan] = scans.data?.scans ?? [];
  const found = stats.data?.total_findings ?? 0;

  const onMade = (token: string) => setMade({ projectId: project.id, token });
  const run: StepState = found > 0 ? 'done' : hasToken ? 'current' : 'todo';
  return (
    <Loaded query={tokens}>
      {() => (
        <Steps>
          <Step number={1} title="Create a project" state="done" outcome={<bdi>{project.name}</bdi>} />
          <Step
            number={2}
            title="Create a token"
            state={hasToken || found > 0 ? 'done' : 'current'}
            outcome={
              <>
                For <bdi>{project.name}</bdi>
              </>
            }
          >
            {projects.length > 1 && (
              <Select
                label="Project"
                data={projects.map(({ id, name }) => ({ value: id, label: name }))}
                value={project.id}
                onChange={(id) => id !== null && setProjectId(id)}
                allowDeselect={false}
                maw={320}
                mb="sm"
              />
            )}
            <MakeToken projectId={project.id} onMade={onMade} />
          </Step>
          <Step number={3} title="Run svc-agent" state={run} outcome={scan && <bdi>{scan.name}</bdi>}>
            <RunAgent project={project} token={token} onMade={onMade} />
          </Step>
          <Step
            number={4}
            title={found > 0 ? 'The first finding is here' : 'See the first finding'}
            state={run === 'todo' ? 'todo' : 'current'}
          >
            {found > 0 ? (
              <Arrived findings={stats.data?.recent_findings ?? []} total={found} onDone={onDone} />
            ) : (
              <Waits scan={scan} />
            )}
          </Step>
        </Steps>
      )}
    </Loaded>
  );
}
