import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { counted } from '../components/numbers.ts';
import { FindingItems } from '../findings/FindingItems.tsx';
import { projectsQuery } from '../projects/queries.ts';
import type { RulePreviewState } from './use-rule-preview.ts';

/** The findings that a rule would change now. */
export function RulePreview({ preview: { query, hasConditions, isWaiting } }: { preview: RulePreviewState }) {
  const projects = useQuery(projectsQuery(useOrg())).data;
  const { data, error } = query;
  if (!hasConditions) {
    return (
      <Text size="sm" c="dimmed">
        Give a condition to see the findings that match.
      </Text>
    );
  }
  if (error && !isWaiting) return <Problem error={error} onRetry={() => query.refetch()} />;
  if (!data) return <Text size="sm">Looking for findings…</Text>;
  const { total, findings } = data;
  return (
    <Stack gap="xs" aria-busy={isWaiting}>
      <Text size="sm" role="status">
        {isWaiting
          ? 'Looking for findings…'
          : total === 0
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
