import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/dashboard.tsx';
import { Entries } from '../activity/Entries.tsx';
import { orgActivityQuery } from '../activity/queries.ts';
import { type ActivitySearch, filterOf } from '../activity/search.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Card } from './Card.tsx';
import type { OfProject } from './queries.ts';

const SHOWN = 5;
/** About the height of the decisions. */
const HEIGHT = 75 * SHOWN;
/** Entries to read, because a decision about many findings has one for each. */
const ENTRIES = 50;

interface Props {
  of: OfProject;
  /** False until what comes first is loaded. */
  enabled: boolean;
}

/** The latest decisions of everybody. */
export function LatestActivity({ of: { project_id }, enabled }: Props) {
  const org = useOrg();
  const search: ActivitySearch = { kind: 'decisions', ...(project_id !== undefined && { project_id }) };
  const query = useQuery({
    ...orgActivityQuery(org, filterOf(search, Date.now()), { page: 1, perPage: ENTRIES }),
    enabled,
  });
  return (
    <Card
      title={text.latestDecisions}
      side={
        <OrgAnchor to="/o/$org/activity" search={project_id === undefined ? {} : { project_id }} size="sm">
          {text.allActivity}
        </OrgAnchor>
      }
    >
      <Loaded query={query} waiting={<Skeleton height={HEIGHT} />}>
        {({ entries }) =>
          entries.length > 0 ? (
            <Entries entries={entries} most={SHOWN} />
          ) : (
            <Text size="sm" c="dimmed">
              {text.noDecisions}
            </Text>
          )
        }
      </Loaded>
    </Card>
  );
}
