import { Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/rules/form.ts';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { FindingItems } from '../../findings/FindingItems.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import { previewQuery } from '../queries.ts';
import { actionsOf, conditionsOf, type RuleValues } from '../values.ts';

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

/** A pause in typing after which the preview is read. */
const TYPING_MS = 400;

const bodyOf = (values: RuleValues) => {
  const actions = actionsOf(values);
  return { conditions: conditionsOf(values), ...(actions && { actions }) };
};

type RulePreviewState = ReturnType<typeof useRulePreview>;

/** The findings that a rule with these values would change now. */
export function useRulePreview(values: RuleValues) {
  const [settled] = useDebouncedValue(values, TYPING_MS);
  const body = bodyOf(settled);
  const { conditions } = body;
  const query = useQuery({
    ...previewQuery(useOrg(), { ...body, conditions: conditions ?? {} }),
    enabled: conditions !== undefined,
  });
  const isSettled = JSON.stringify(body) === JSON.stringify(bodyOf(values));
  /** Whether the preview is being read: until then, `data` may be about earlier values. */
  const isWaiting = conditions !== undefined && (!isSettled || query.isFetching || query.isPlaceholderData);
  return {
    query,
    hasConditions: conditions !== undefined,
    isWaiting,
    /** How many findings the rule would change; undefined while this is not known. */
    total: isWaiting ? undefined : query.data?.total,
  };
}
