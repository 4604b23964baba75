import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { counted } from '../components/numbers.ts';
import { FindingItems } from '../findings/FindingItems.tsx';
import { projectsQuery } from '../projects/queries.ts';
import { previewQuery, type RuleActions, type RuleConditions } from './queries.ts';

interface Props {
  conditions: RuleConditions;
  actions: RuleActions | undefined;
}

/** The findings that a rule would change now. */
export function RulePreview({ conditions, actions }: Props) {
  const org = useOrg();
  const preview = useQuery(previewQuery(org, { conditions, ...(actions && { actions }) }));
  const projects = useQuery(projectsQuery(org)).data;
  const { data, error } = preview;
  if (error && !preview.isFetching) return <Problem error={error} onRetry={() => preview.refetch()} />;
  if (!data) return <Text size="sm">Looking for findings…</Text>;
  const { total, findings } = data;
  return (
    <Stack gap="xs" aria-busy={preview.isFetching}>
      <Text size="sm" role="status">
        {total === 0
          ? 'No open finding matches now. The rule decides about new findings.'
          : `${counted(total, 'open finding')} would be changed now.`}
      </Text>
      {total > 0 && (
        <FindingItems findings={findings} projects={new Map(projects?.map(({ id, name }) => [id, name]))} />
      )}
      {total > findings.length && (
        <Text size="sm" c="dimmed">
          The newest {findings.length} are shown.
        </Text>
      )}
    </Stack>
  );
}
