import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useOrg } from '../../app/session.ts';
import { previewQuery } from '../queries.ts';
import { actionsOf, conditionsOf, type RuleValues } from '../values.ts';

/** A pause in typing after which the preview is read. */
const TYPING_MS = 400;

const bodyOf = (values: RuleValues) => {
  const actions = actionsOf(values);
  return { conditions: conditionsOf(values), ...(actions && { actions }) };
};

export type RulePreviewState = ReturnType<typeof useRulePreview>;

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
