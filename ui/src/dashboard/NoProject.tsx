import * as text from '#strings/dashboard.tsx';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { LinkButton } from '../components/links.tsx';
import { IconFolderOff } from '../icons/icons.ts';

/** Shown if the project in the address does not exist. */
export function NoProject() {
  const { slug } = useOrg();
  return (
    <Empty icon={<IconFolderOff />} title={text.noSuchProject}>
      {text.addressMayBeIncomplete}
      <div style={{ marginTop: 'var(--mantine-spacing-md)' }}>
        <LinkButton to="/o/$org" params={{ org: slug }} search={{}} variant="default">
          {text.showAllProjects}
        </LinkButton>
      </div>
    </Empty>
  );
}
