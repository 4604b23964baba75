import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/findings/page.tsx';
import { revisionOf, sourceLink } from '../../../../lib/projects/source-links.ts';
import { useOrg } from '../../app/session.ts';
import { IconExternalLink } from '../../icons/icons.ts';
import { projectsQuery } from '../../projects/queries.ts';
import { scanQuery } from '../../scans/queries.ts';
import { FileLocation } from '../FileLocation.tsx';
import type { Finding } from '../finding-queries.ts';

/** The file and line of a finding, linked to the code if the project has an address of its repository. */
export function SourceLocation({ finding }: { finding: Finding }) {
  const { file = '', line } = finding;
  const href = useSourceLink(finding);
  const location = <FileLocation file={file} line={line} />;
  if (href === undefined) return location;
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
      {location} <IconExternalLink size={12} role="img" aria-label={text.opensNewWindow} />
    </Anchor>
  );
}

/** The address of the line at the commit that was scanned last; undefined without one, and while it is not known. */
function useSourceLink({ project_id, last_scan_id, file, line }: Finding): string | undefined {
  const org = useOrg();
  const projects = useQuery(projectsQuery(org));
  const sourceUrl = projects.data?.find(({ id }) => id === project_id)?.source_url;
  const isLinked = sourceUrl !== undefined && file !== undefined;
  const scan = useQuery({ ...scanQuery(org, last_scan_id), staleTime: 60_000, enabled: isLinked });
  // A link must not lead elsewhere when the scan arrives. Without the scan it leads to the default branch.
  if (!isLinked || scan.isPending) return undefined;
  return sourceLink(sourceUrl, { path: file, line, ...revisionOf(scan.data ?? {}) });
}
