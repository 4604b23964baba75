import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/findings/page.tsx';
import { useOrg } from '../../app/session.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { OrgAnchor } from '../../components/links.tsx';
import { ShowMore } from '../../components/ShowMore.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import { type Finding, type FindingRef, refsQuery } from '../finding-queries.ts';
import classes from './Finding.module.css';

/** The number of refs shown at first. */
const SHOWN = 5;

/** The branches, tags and pull requests that have a finding or had it. Nothing if no scan named one. */
export function Refs({ finding: { id, project_id, proposed } }: { finding: Finding }) {
  const org = useOrg();
  const refs = useQuery(refsQuery(org, id));
  const project = useQuery(projectsQuery(org)).data?.find((one) => one.id === project_id);
  if (refs.isPending || refs.data?.every(({ ref }) => ref === null)) return null;
  return (
    <section aria-labelledby="refs">
      <Title order={2} id="refs" mb="xs">
        {text.branches}
      </Title>
      {proposed && (
        <Text size="sm" c="dimmed" mb="xs">
          {text.whenProposed}
        </Text>
      )}
      <Loaded query={refs}>
        {(refs) => (
          <ShowMore items={refs} count={SHOWN}>
            {(shown) => (
              <ul className={classes.refs}>
                {shown.map((one) => (
                  <li key={one.ref}>
                    <RefName of={one} projectId={project_id} defaultRef={project?.default_ref} />
                    <Text size="xs" c="dimmed">
                      <Presence of={one} />
                    </Text>
                  </li>
                ))}
              </ul>
            )}
          </ShowMore>
        )}
      </Loaded>
    </section>
  );
}

interface NameProps {
  of: FindingRef;
  projectId: string;
  /** Undefined while the project is loading, or if all refs count as the default branch. */
  defaultRef: string | undefined;
}

function RefName({ of: { ref, tracked }, projectId: project_id, defaultRef }: NameProps) {
  const isDefault = ref === null || ref === defaultRef;
  return (
    <Text size="sm">
      {ref === null ? (
        text.withoutRef
      ) : (
        <OrgAnchor
          to="/o/$org/findings"
          search={{ project_id, ref }}
          title={text.findingsOnRef}
          ff="monospace"
          inherit
        >
          <bdi>{ref}</bdi>
        </OrgAnchor>
      )}{' '}
      {defaultRef !== undefined && (isDefault || tracked) && (
        <Text span size="xs" c="dimmed">
          {isDefault ? text.defaultRef : text.trackedRef}
        </Text>
      )}
    </Text>
  );
}

function Presence({ of: { missing_since, last_seen_at, last_scan_id: id } }: { of: FindingRef }) {
  // Without the name of the scan, which takes a request for each of hundreds of branches.
  const seen = (
    <OrgAnchor to="/o/$org/scans/$id" params={{ id }} title={text.openScan} inherit underline="always">
      <Ago time={last_seen_at} />
    </OrgAnchor>
  );
  if (missing_since === null) return text.presentOn(seen);
  return text.missingOn(<Ago time={missing_since} />, seen);
}
