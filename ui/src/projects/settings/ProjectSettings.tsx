import { Anchor, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import * as deletion from '#strings/deletion.tsx';
import { dueDates } from '#strings/due-dates.ts';
import * as text from '#strings/projects/settings.tsx';
import { transferProject } from '#strings/projects/transfer.tsx';
import { MAX_SOURCE_URL, sourceLink, sourceUrlProblem } from '../../../../lib/projects/source-links.ts';
import type { Schemas } from '../../app/api.ts';
import { rolesAllowed } from '../../app/roles.ts';
import { useOrg } from '../../app/session.ts';
import { Empty } from '../../components/Empty.tsx';
import { isFinal } from '../../components/errors/problem.ts';
import { showSuccess } from '../../components/errors/toasts.ts';
import { NameCard, SlugCard } from '../../components/forms/NameCards.tsx';
import { SettingsCard } from '../../components/forms/SettingsCard.tsx';
import { SettingsSections } from '../../components/forms/SettingsSections.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { OrgAnchor } from '../../components/links.tsx';
import { Page } from '../../components/Page.tsx';
import { DeletionCard } from '../../deletion/TypedConfirmation.tsx';
import { ProjectDueDates } from '../../due-dates/ProjectDueDates.tsx';
import { IconLock } from '../../icons/icons.ts';
import { refreshFindings } from '../../triage/cache.ts';
import { projectQuery, projectsQuery } from '../queries.ts';
import { SLUG } from '../slug.ts';
import { TransferProject, Transferred } from '../transfer/TransferProject.tsx';
import { branchValues, changesOf } from './branches.ts';

type Project = Schemas['Project'];

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
        <OrgAnchor to="/o/$org/projects/$slug" params={{ slug }} size="sm">
          <bdi>{name}</bdi>
        </OrgAnchor>
      }
    >
      {org.may('updateProject', project.data) ? (
        <Sections key={id} project={project.data} onTransferred={setDone} />
      ) : (
        <Empty icon={<IconLock />} title={text.roleDenied}>
          {text.whoMayChange(rolesAllowed('updateProject'))}
        </Empty>
      )}
    </Page>
  );
}

function Sections({
  project,
  onTransferred,
}: {
  project: Project;
  onTransferred: (transfer: Schemas['ProjectTransfer']) => void;
}) {
  const org = useOrg();
  const general = (
    <>
      <ProjectName project={project} />
      <ProjectSlug project={project} />
    </>
  );
  const code = (
    <>
      <SourceLinks project={project} />
      <Branches project={project} />
    </>
  );
  const transfer = <TransferProject project={project} onDone={onTransferred} />;
  return (
    <SettingsSections
      sections={[
        { id: 'general', label: text.general, content: general },
        { id: 'code', label: text.codeAndBranches, content: code },
        { id: 'due-dates', label: dueDates, content: <ProjectDueDates projectId={project.id} /> },
        { id: 'missing', label: text.closeMissing, content: <CloseMissing project={project} /> },
        ...(org.may('startProjectTransfer')
          ? [{ id: 'transfer', label: transferProject, content: transfer }]
          : []),
        ...(org.may('deleteProject', project)
          ? [
              {
                id: 'delete',
                label: deletion.deleteProject,
                content: <DeleteProject project={project} />,
              },
            ]
          : []),
      ]}
    />
  );
}

/** Deletes a project, after its slug was typed. */
function DeleteProject({ project }: { project: Project }) {
  const { id, name, slug } = project;
  const org = useOrg();
  const queries = useQueryClient();
  const navigate = useNavigate();
  if (!org.may('deleteProject', project)) return null;
  return (
    <DeletionCard
      label={deletion.deleteProject}
      ask={deletion.deleteProjectAsk}
      consequences={deletion.projectIsGone}
      title={<bdi>{deletion.deleteThisProject(name)}</bdi>}
      word={slug}
      onConfirm={async () => {
        await org.api.delete('/projects/{slug}', { params: { path: { slug: id } }, body: { confirm: slug } });
        showSuccess(deletion.projectDeleted);
        await navigate({ to: '/o/$org/projects', params: { org: org.slug }, replace: true });
        for (const one of [id, slug]) queries.removeQueries({ queryKey: projectQuery(org, one).queryKey });
        await Promise.all([
          queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey }),
          refreshFindings(queries, org),
        ]);
      }}
    />
  );
}

/** The name of a project. */
function ProjectName({ project }: { project: Project }) {
  const saveProject = useSaveProject(project);
  return (
    <NameCard
      name={project.name}
      description={text.slugStays}
      save={async (name) => (await saveProject({ name })).name}
    />
  );
}

/** The slug of a project. The page moves to its new address. */
function ProjectSlug({ project }: { project: Project }) {
  const org = useOrg();
  const navigate = useNavigate();
  const saveProject = useSaveProject(project);
  return (
    <SlugCard
      slug={project.slug}
      description={text.whatSlugIs}
      problemOf={(slug) => (SLUG.test(slug) ? null : text.slugCharacters)}
      refusals={{ already_exists: text.slugTaken }}
      save={async (next) => {
        const { slug } = await saveProject({ slug: next });
        const params = { org: org.slug, slug };
        await navigate({ to: '/o/$org/projects/$slug/settings', params, replace: true });
        return slug;
      }}
    />
  );
}

/** A place that shows all parts of a link. */
const EXAMPLE = {
  path: 'src/app.ts',
  line: 42,
  commit: '4f2a9c1e6d8b7a5039c1e2f4a6b8d0c2e4f6a8b0',
  branch: 'main',
};

const linkValues = ({ source_url = '' }: Project) => ({ source_url });

/** The repository of a project, to which findings link. */
function SourceLinks({ project }: { project: Project }) {
  const saveProject = useSaveProject(project);
  const form = useForm({
    initialValues: linkValues(project),
    validate: {
      source_url: (url) => {
        const problem = url.trim() === '' ? undefined : sourceUrlProblem(url.trim());
        return problem === undefined ? null : problem.charAt(0).toUpperCase() + problem.slice(1);
      },
    },
    validateInputOnBlur: true,
  });
  const example = sourceLink(form.values.source_url.trim(), EXAMPLE);
  return (
    <SettingsCard
      title={text.linksToCode}
      description={text.whereLinksLead}
      form={form}
      saved={text.linksSaved}
      save={async ({ source_url }) => {
        return linkValues(await saveProject({ source_url: source_url.trim() || null }));
      }}
    >
      <Stack gap={6}>
        <TextInput
          label={text.repository}
          description={text.whichRepository}
          placeholder={text.exampleOfRepository}
          type="url"
          inputMode="url"
          maxLength={MAX_SOURCE_URL}
          maw="44rem"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('source_url')}
        />
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }} mih={{ base: '4.7em', sm: '1.6em' }}>
          {example === undefined
            ? text.noLinks
            : text.example(
                <Anchor href={example} target="_blank" rel="noopener noreferrer" inherit>
                  {example}
                </Anchor>,
              )}
        </Text>
      </Stack>
    </SettingsCard>
  );
}

/** The branches that the state of findings follows. */
function Branches({ project }: { project: Project }) {
  const org = useOrg();
  const queries = useQueryClient();
  const saveProject = useSaveProject(project);
  const form = useForm({ initialValues: branchValues(project) });
  const typed = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, maw: '44rem' };
  return (
    <SettingsCard
      title={text.branches}
      description={text.whatBranchesDo}
      form={form}
      saved={text.branchesSaved}
      save={async (values) => {
        const saved = await saveProject(changesOf(values));
        void refreshFindings(queries, org);
        return branchValues(saved);
      }}
    >
      <TextInput
        label={text.defaultBranch}
        description={text.whatDefaultBranchIs}
        placeholder={text.exampleOfBranch}
        {...typed}
        {...form.getInputProps('default_ref')}
      />
      <Textarea
        label={text.trackedRefs}
        description={text.whatTrackedRefsAre}
        placeholder={text.exampleOfPatterns}
        autosize
        minRows={3}
        maxRows={20}
        {...typed}
        {...form.getInputProps('tracked_refs')}
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

/** A function that changes settings of a project and returns the project. */
function useSaveProject({ id }: Project) {
  const org = useOrg();
  const queries = useQueryClient();
  return async (body: Schemas['ProjectChanges']): Promise<Project> => {
    const { result } = await org.api.patch('/projects/{slug}', { params: { path: { slug: id } }, body });
    // The key of all queries of projects begins with this one.
    await queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey });
    return result;
  };
}
