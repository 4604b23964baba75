import { Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import * as text from '#strings/findings/page.tsx';
import { useOrg } from '../../app/session.ts';
import { ShowMore } from '../../components/ShowMore.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import { FindingItems } from '../FindingItems.tsx';
import { type SimilarFinding, similarQuery, timelineQuery } from '../finding-queries.ts';

const WHY: Record<SimilarFinding['why'], string> = text.whySimilar;
/** The number of findings shown of each kind. */
const SHOWN = 5;
const KINDS = Object.keys(WHY) as SimilarFinding['why'][];

/** Similar findings of all projects, by what they have in common. Nothing if there are none. */
export function Similar({ id }: { id: string }) {
  const org = useOrg();
  const { data: findings = [] } = useQuery(similarQuery(org, id));
  const projects = useQuery({ ...projectsQuery(org), enabled: findings.length > 0 }).data;
  // The activity above would move them.
  const isActivityPending = useInfiniteQuery(timelineQuery(org, id)).isPending;
  if (findings.length === 0 || isActivityPending) return null;
  const names = projects && new Map(projects.map((project) => [project.id, project.name]));
  return (
    <Stack gap="xs" component="section" aria-labelledby="similar">
      <Title order={2} id="similar">
        {text.similarFindings}
      </Title>
      {KINDS.map((why) => {
        const alike = findings.filter((finding) => finding.why === why);
        return alike.length > 0 && <Alike key={why} why={why} findings={alike} projects={names} />;
      })}
    </Stack>
  );
}

interface AlikeProps {
  why: SimilarFinding['why'];
  findings: SimilarFinding[];
  projects: ReadonlyMap<string, string> | undefined;
}

/** Findings with the same thing in common. */
function Alike({ why, findings, projects }: AlikeProps) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {WHY[why]}
      </Text>
      <ShowMore items={findings} count={SHOWN}>
        {(shown) => <FindingItems findings={shown} projects={projects} />}
      </ShowMore>
    </div>
  );
}
