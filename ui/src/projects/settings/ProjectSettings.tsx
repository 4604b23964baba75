import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/projects/settings.tsx';
import type { Schemas } from '../../app/api.ts';
import { rolesAllowed } from '../../app/roles.ts';
import { useOrg } from '../../app/session.ts';
import { Empty } from '../../components/Empty.tsx';
import { isFinal } from '../../components/errors/problem.ts';
import { SettingsCard } from '../../components/forms/SettingsCard.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { LinkAnchor } from '../../components/links.tsx';
import { Page } from '../../components/Page.tsx';
import { DeleteProject } from '../../deletion/DeleteProject.tsx';
import { ProjectDueDates } from '../../due-dates/ProjectDueDates.tsx';
import { IconLock } from '../../icons/icons.ts';
import { projectQuery } from '../queries.ts';
import { ProjectSlug } from '../slug/ProjectSlug.tsx';
import { TransferProject, Transferred } from '../transfer/TransferProject.tsx';
import { SourceLinks } from './SourceLinks.tsx';
import { type Project, useSaveProject } from './use-save-project.ts';

const route = getRouteApi('/_signed-in/o/$org/projects/$slug/settings');

/** The settings of a project, for admins. */
export function ProjectSettings() {
  const { slug } = route.useParams();
  const org = useOrg();
  const project = useQuery(projectQuery(org, slug));
  const [done, setDone] = useState<Schemas['ProjectTransfer']>();
  if (done) return <Transferred transfer={done} />;
  if (!project.data)
    return (
      <Page title={isFinal(project.error) ? text.projectNotFound : text.projectSettings}>
        <Loaded query={project}>{() => null}</Loaded>
      </Page>
    );
  const { id, name } = project.data;
  return (
    <Page
      title={text.projectSettings}
      description={
        <LinkAnchor to="/o/$org/projects/$slug" params={{ org: org.slug, slug }} size="sm">
          <bdi>{name}</bdi>
        </LinkAnchor>
      }
    >
      {org.may('updateProject') ? (
        <>
          <ProjectName key={`name ${id}`} project={project.data} />
          <ProjectSlug key={`slug ${id}`} project={project.data} />
          <SourceLinks key={`links ${id}`} project={project.data} />
          <ProjectDueDates key={`due ${id}`} projectId={id} />
          <CloseMissing key={`close ${id}`} project={project.data} />
          <TransferProject key={`transfer ${id}`} project={project.data} onDone={setDone} />
          <DeleteProject key={`delete ${id}`} project={project.data} />
        </>
      ) : (
        <Empty icon={<IconLock />} title={text.roleDenied}>
          {text.whoMayChange(rolesAllowed('updateProject'))}
        </Empty>
      )}
    </Page>
  );
}

const MAX_NAME = 200;

/** The name of a project. */
function ProjectName({ project }: { project: Project }) {
  const saveProject = useSaveProject(project);
  const form = useForm({
    initialValues: { name: project.name },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  return (
    <SettingsCard
      title={text.name}
      description={text.slugStays}
      form={form}
      saved={text.nameSaved}
      save={async ({ name }) => {
        const saved = await saveProject({ name: name.trim() });
        return { name: saved.name };
      }}
    >
      <TextInput
        aria-label={text.name}
        maxLength={MAX_NAME}
        maw="32rem"
        autoComplete="off"
        {...form.getInputProps('name')}
      />
    </SettingsCard>
  );
}

const OFF = 'off';

const CHOICES = [
  { value: OFF, label: text.never },
  ...Array.from({ length: 10 }, (_, i) => ({ value: String(i + 1), label: text.afterScans(i + 1) })),
];

const toValues = ({ close_after_scans }: Project) => ({
  close_after_scans: close_after_scans === undefined ? OFF : String(close_after_scans),
});

/** After how many scans without a finding it is fixed. */
function CloseMissing({ project }: { project: Project }) {
  const saveProject = useSaveProject(project);
  const form = useForm({ initialValues: toValues(project) });
  return (
    <SettingsCard
      title={text.closeMissing}
      description={text.whatClosingDoes}
      form={form}
      saved={text.settingSaved}
      save={async ({ close_after_scans: choice }) => {
        return toValues(await saveProject({ close_after_scans: choice === OFF ? null : Number(choice) }));
      }}
    >
      <Select
        aria-label={text.closeMissing}
        data={CHOICES}
        allowDeselect={false}
        maw="16rem"
        {...form.getInputProps('close_after_scans')}
      />
    </SettingsCard>
  );
}
