import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/rules/form.ts';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { FindingItems } from '../../findings/FindingItems.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import type { RulePreviewState } from './use-rule-preview.ts';

/** The findings that a rule would change now. */
export function RulePreview({ preview: { query, hasConditions, isWaiting } }: { preview: RulePreviewState }) {
  const projects = useQuery(projectsQuery(useOrg())).data;
  const { data, error } = query;
  if (!hasConditions) {
    return (
      <Text size="sm" c="dimmed">
        {text.giveConditionToSee}
      </Text>
    );
  }
  if (error && !isWaiting) return <Problem error={error} onRetry={() => query.refetch()} />;
  if (!data) return <Text size="sm">{text.looking}</Text>;
  const { total, findings } = data;
  const found = total === 0 ? text.noneMatches : text.wouldChange(total);
  return (
    <Stack gap="xs" aria-busy={isWaiting}>
      <Text size="sm" role="status">
        {isWaiting ? text.looking : found}
      </Text>
      {total > 0 && (
        <FindingItems findings={findings} projects={new Map(projects?.map(({ id, name }) => [id, name]))} />
      )}
      {total > findings.length && (
        <Text size="sm" c="dimmed">
          {text.newestShown(findings.length)}
        </Text>
      )}
    </Stack>
  );
}
