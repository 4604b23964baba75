import { Card, Stack, Switch, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/rules.tsx';
import { reasonInSentence } from '#strings/triage.tsx';
import { useOrg } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor, OrgButton } from '../components/links.tsx';
import { inSentence } from '../components/text/in-sentence.ts';
import { Ago } from '../components/time/Time.tsx';
import { SEVERITY_NAMES, STATUS_NAMES } from '../findings/Severity.tsx';
import { IconPlus, IconWand } from '../icons/icons.ts';
import { membersQuery } from '../members/queries.ts';
import { projectsQuery } from '../projects/queries.ts';
import { PERSONA_NAMES } from '../scans/persona.ts';
import { type Rule, type RuleActions, type RuleConditions, rulesQuery } from './queries.ts';
import { RuleMenu } from './RuleMenu.tsx';
import { RoleCheck } from './RulePage.tsx';
import classes from './Rules.module.css';
import { CONDITIONS, type Condition } from './values.ts';

/** The rules of the organization, in their order. */
export function Rules() {
  const org = useOrg();
  const rules = useQuery({ ...rulesQuery(org), enabled: org.may('listRules') });
  const projects = useQuery(projectsQuery(org)).data;
  const members = useQuery(membersQuery(org)).data;
  const names: Names = {
    projects: new Map(projects?.map(({ id, name }) => [id, name])),
    members: new Map(members?.map(({ user_id, name }) => [user_id, name])),
  };
  const create = (
    <OrgButton to="/o/$org/rules/new" leftSection={<IconPlus size={16} />}>
      {text.newRule}
    </OrgButton>
  );
  return (
    <RoleCheck title={text.rules} actions={create}>
      <Loaded
        query={rules}
        empty={
          <Empty icon={<IconWand />} title={text.noRules}>
            {text.whatRulesDo}
          </Empty>
        }
      >
        {(list) => (
          <ol className={classes.list} aria-label={text.rules} tabIndex={-1}>
            {list.map((rule, index) => (
              <RuleItem key={rule.id} rule={rule} index={index} all={list} names={names} />
            ))}
          </ol>
        )}
      </Loaded>
    </RoleCheck>
  );
}

interface ItemProps {
  rule: Rule;
  index: number;
  all: readonly Rule[];
  names: Names;
}

function RuleItem({ rule, index, all, names }: ItemProps) {
  const org = useOrg();
  const queries = useQueryClient();
  const { id, name, enabled, conditions, actions, matched_count, last_matched_at } = rule;
  const change = useAction({
    mutationFn: (to: boolean) =>
      org.api.patch('/rules/{id}', { params: { path: { id } }, body: { enabled: to } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: rulesQuery(org).queryKey }),
  });
  return (
    <li>
      <Card withBorder padding="sm" className={classes.rule}>
        <Text c="dimmed" size="sm" className={classes.position} aria-hidden>
          {index + 1}
        </Text>
        <Stack gap={2} className={classes.words}>
          <OrgAnchor to="/o/$org/rules/$id" params={{ id }} fw={600} c="inherit">
            <bdi>{name}</bdi>
          </OrgAnchor>
          <Text size="sm" c={enabled ? undefined : 'dimmed'} className={classes.text}>
            {text.ifThen(conditionsText(conditions, names), actionsText(actions, names))}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {last_matched_at === undefined
              ? text.neverMatched
              : text.matched(matched_count ?? 0, <Ago time={last_matched_at} />)}
          </Text>
        </Stack>
        <Switch
          aria-label={text.enable(name)}
          checked={change.isPending ? change.variables : enabled}
          // A disabled switch would lose the focus.
          aria-busy={change.isPending}
          onChange={({ currentTarget }) => !change.isPending && change.mutate(currentTarget.checked)}
        />
        <RuleMenu rule={rule} index={index} all={all} />
      </Card>
    </li>
  );
}

/** Names by id. */
interface Names {
  projects: ReadonlyMap<string, string>;
  members: ReadonlyMap<string, string>;
}

/** The conditions in words, such as “severity is low or info and file matches src/test/*”. */
function conditionsText(conditions: RuleConditions, { projects }: Names): string {
  const nameOf: Partial<Record<Condition, (value: string) => string>> = {
    project_id: (id) => projects.get(id) ?? text.formerProject,
    severity: (value) => text.inSentence(SEVERITY_NAMES[value as keyof typeof SEVERITY_NAMES]),
    persona: (value) => text.inSentence(PERSONA_NAMES[value as keyof typeof PERSONA_NAMES]),
  };
  const parts = CONDITIONS.flatMap((name) => {
    const values: readonly string[] = conditions[name] ?? [];
    if (values.length === 0) return [];
    const isPattern = (name === 'title' || name === 'path') && values.some((value) => /[*?]/.test(value));
    const shown = values.map((value) => inSentence(nameOf[name]?.(value) ?? value));
    return [text.condition(name, shown, isPattern)];
  });
  return text.all(parts);
}

/** The actions in words, such as “set to False positive (used in tests) and assign to Ada Lovelace”. */
function actionsText(
  { status, reason, assignee_id, due_days, accept_days }: RuleActions,
  { members }: Names,
): string {
  return text.all(
    [
      status && text.setTo(STATUS_NAMES[status], reason && reasonInSentence(reason), accept_days),
      assignee_id && text.assignTo(inSentence(members.get(assignee_id) ?? text.formerMember)),
      due_days && text.makeDue(due_days),
    ].filter((part) => typeof part === 'string'),
  );
}
