import { List, Menu, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import * as text from '#strings/rules.tsx';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { ActionMenu } from '../components/ActionMenu.tsx';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { useAction, useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { titleOf } from '../findings/title.ts';
import {
  IconArrowBackUp,
  IconArrowDown,
  IconArrowUp,
  IconPencil,
  IconPlayerPlay,
  IconTrash,
} from '../icons/icons.ts';
import { refreshFindings } from '../triage/cache.ts';
import { applyRule, undoRule } from './apply.ts';
import { previewQuery, type Rule, rulesQuery } from './queries.ts';

interface Props {
  rule: Rule;
  /** Its position in `all`. */
  index: number;
  all: readonly Rule[];
}

/** The actions on a rule. */
export function RuleMenu({ rule, index, all }: Props) {
  const org = useOrg();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id, name, conditions, actions } = rule;
  const { queryKey } = rulesQuery(org);
  const button = useRef<HTMLButtonElement>(null);
  const renew = () => queries.invalidateQueries({ queryKey });
  const move = useAction({
    mutationFn: (to: number) => {
      const ids = all.map((one) => one.id).filter((one) => one !== id);
      ids.splice(to, 0, id);
      return org.api.put('/rules/order', { body: { ids } });
    },
    onSettled: renew,
  });
  const apply = useAction({
    mutationFn: (expected: number) => applyRule(org, id, expected),
    onSuccess: (updated) => showSuccess(text.hasChanged(name, updated)),
    onSettled: () => refreshFindings(queries, org),
  });
  const askToApply = useAction({
    mutationFn: () => queries.query({ ...previewQuery(org, { conditions, actions }), staleTime: 0 }),
    onSuccess: ({ total, findings }) =>
      total === 0
        ? showSuccess(text.noneMatches(name))
        : openConfirm({
            title: text.applyTo(name, total),
            children: <Found findings={findings} total={total} />,
            confirm: text.apply,
            onConfirm: () => apply.mutate(total),
          }),
  });
  const undo = useConfirmed({
    title: text.undoWhat(name),
    children: <Text size="sm">{text.whatUndoDoes(rule.enabled)}</Text>,
    confirm: text.undoChanges,
    mutationFn: () => undoRule(org, id),
    onSuccess: ({ restored, skipped }) => {
      showSuccess(text.restored(restored, skipped));
    },
    onSettled: () => refreshFindings(queries, org),
  });
  const remove = useConfirmed({
    title: text.deleteWhich(name),
    children: <Text size="sm">{text.whatDeleteDoes}</Text>,
    confirm: text.deleteRule,
    color: 'red',
    mutationFn: () => org.api.delete('/rules/{id}', { params: { path: { id } } }),
    onSuccess() {
      // The button is about to disappear.
      button.current?.closest('ol')?.focus();
      showSuccess(text.deleted(name));
    },
    onSettled: renew,
  });

  const isBusy = [move, apply, askToApply, undo, remove].some(({ isPending }) => isPending);
  return (
    <ActionMenu ref={button} label={text.actionsFor(name)} width={240} isBusy={isBusy}>
      <Menu.Item
        leftSection={<IconPencil size={16} />}
        onClick={() => navigate({ to: '/o/$org/rules/$id', params: { org: org.slug, id } })}
      >
        {text.edit}
      </Menu.Item>
      <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => askToApply.mutate()}>
        {text.applyToExisting}
      </Menu.Item>
      <Menu.Item leftSection={<IconArrowBackUp size={16} />} onClick={undo.ask}>
        {text.undoItsChanges}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        leftSection={<IconArrowUp size={16} />}
        disabled={index === 0}
        onClick={() => move.mutate(index - 1)}
      >
        {text.moveUp}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconArrowDown size={16} />}
        disabled={index === all.length - 1}
        onClick={() => move.mutate(index + 1)}
      >
        {text.moveDown}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        color="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} />}
        onClick={remove.ask}
      >
        {text.deleteItem}
      </Menu.Item>
    </ActionMenu>
  );
}

/** The findings that a dialog lists. */
const LISTED = 5;

/** The first findings that a rule would change. Dialogs are outside of the router and cannot link to them. */
function Found({ findings, total }: { findings: readonly Schemas['ListedFinding'][]; total: number }) {
  const others = total - Math.min(LISTED, findings.length);
  return (
    <Stack gap="xs">
      <List size="sm">
        {findings.slice(0, LISTED).map(({ id, title, file }) => (
          <List.Item key={id} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{titleOf(title)}</bdi>
            {file && (
              <Text span size="xs" c="dimmed" display="block">
                <bdi>{file}</bdi>
              </Text>
            )}
          </List.Item>
        ))}
      </List>
      {others > 0 && <Text size="sm">{text.andOthers(others)}</Text>}
    </Stack>
  );
}
