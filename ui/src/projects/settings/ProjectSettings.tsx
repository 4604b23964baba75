import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/projects/settings.tsx';
import type { Schemas } from '../../app/api.ts';
import { rolesAllowed } from '../../app/roles.ts';
import { useOrg } from '../../app/session.ts';
import { Empty } from '../../components/Empty.tsx';
import { isFinal } from '../../components/errors/problem.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { LinkAnchor } from '../../components/links.tsx';
import { Page } from '../../components/Page.tsx';
import { DeleteProject } from '../../deletion/DeleteProject.tsx';
import { ProjectDueDates } from '../../due-dates/ProjectDueDates.tsx';
import { IconLock } from '../../icons/icons.ts';
import { projectQuery } from '../queries.ts';
import { ProjectSlug } from '../slug/ProjectSlug.tsx';
import { TransferProject } from '../transfer/TransferProject.tsx';
import { Transferred } from '../transfer/Transferred.tsx';
import { CloseMissing } from './CloseMissing.tsx';
import { ProjectName } from './ProjectName.tsx';
import { SourceLinks } from './SourceLinks.tsx';

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
