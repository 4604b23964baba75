import { Card, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/rules.tsx';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { showError } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor, LinkButton } from '../components/links.tsx';
import { IconPlus, IconWand } from '../icons/icons.ts';
import { membersQuery } from '../members/queries.ts';
import { projectsQuery } from '../projects/queries.ts';
import { type Rule, rulesQuery } from './queries.ts';
import { RuleMenu } from './RuleMenu.tsx';
import { RoleCheck } from './RulePage.tsx';
import classes from './Rules.module.css';
import { actionsText, conditionsText, type Names } from './words.ts';

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
    <LinkButton to="/o/$org/rules/new" params={{ org: org.slug }} leftSection={<IconPlus size={16} />}>
      {text.newRule}
    </LinkButton>
  );
  return (
    <RoleCheck title={text.rules} actions={create}>
      <Loaded query={rules}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={<IconWand />} title={text.noRules}>
              {text.whatRulesDo}
            </Empty>
          ) : (
            <ol className={classes.list} aria-label={text.rules} tabIndex={-1}>
              {list.map((rule, index) => (
                <RuleItem key={rule.id} rule={rule} index={index} all={list} names={names} />
              ))}
            </ol>
          )
        }
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
  const { id, name, enabled, conditions, actions } = rule;
  const change = useMutation({
    mutationFn: (to: boolean) =>
      org.api.patch('/rules/{id}', { params: { path: { id } }, body: { enabled: to } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: rulesQuery(org).queryKey }),
    onError: showError,
  });
  return (
    <li>
      <Card withBorder padding="sm" className={classes.rule}>
        <Text c="dimmed" size="sm" className={classes.position} aria-hidden>
          {index + 1}
        </Text>
        <Stack gap={2} className={classes.words}>
          <LinkAnchor to="/o/$org/rules/$id" params={{ org: org.slug, id }} fw={600} c="inherit">
            <bdi>{name}</bdi>
          </LinkAnchor>
          <Text size="sm" c={enabled ? undefined : 'dimmed'} className={classes.text}>
            {text.ifThen(conditionsText(conditions, names), actionsText(actions, names))}
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
