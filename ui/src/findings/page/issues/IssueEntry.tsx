import { Anchor, Button, Group, Text } from '@mantine/core';
import { useRef } from 'react';
import * as text from '#strings/findings/page/issues.tsx';
import { opensNewWindow } from '#strings/findings/page.tsx';
import { useOrg } from '../../../app/session.ts';
import { useConfirmed } from '../../../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../../../components/errors/toasts.ts';
import { StateBadge } from '../../../components/StateBadge.tsx';
import { Ago } from '../../../components/time/Time.tsx';
import { IconExternalLink } from '../../../icons/icons.ts';
import type { Finding } from '../../finding-queries.ts';
import { STATUS_NAMES } from '../../Severity.tsx';
import type { Issue } from './queries.ts';
import { useCreateIssue, useRefreshIssues } from './use-create-issue.tsx';

const COLORS = { pending: 'gray', open: 'blue', closed: 'green', gone: 'orange', failed: 'red' } as const;

interface Props {
  finding: Finding;
  issue: Issue;
  /** Whether the user may unlink it. */
  mayChange: boolean;
  /** Whether the user may create it again if that has failed. */
  mayRetry: boolean;
}

/** An issue with the states on both sides. */
export function IssueEntry({ finding, issue, mayChange, mayRetry }: Props) {
  const { id, integration, key, url, state, status, reason, finding_count, checked_at } = issue;
  const name = text.nameOf(key, integration?.name);
  const org = useOrg();
  const item = useRef<HTMLLIElement>(null);
  const refresh = useRefreshIssues(finding.id);
  // The buttons are about to disappear.
  const moveFocus = () => item.current?.closest('section')?.focus();
  const create = useCreateIssue(finding, moveFocus);
  const unlink = useConfirmed({
    title: text.askUnlink,
    children: <Text size="sm">{text.whatUnlinkingDoes}</Text>,
    confirm: text.unlink,
    color: 'red',
    mutationFn: () =>
      org.api.delete('/findings/{id}/issues/{issueId}', {
        params: { path: { id: finding.id, issueId: id } },
      }),
    async onSuccess() {
      moveFocus();
      showSuccess(text.unlinked);
      await refresh();
    },
  });
  const isKnown = state === 'open' || state === 'closed';
  return (
    <li ref={item}>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="sm" style={{ minWidth: 0 }}>
          {url === undefined ? (
            <bdi>{name}</bdi>
          ) : (
            <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit>
              <bdi>{name}</bdi> <IconExternalLink size={12} role="img" aria-label={opensNewWindow} />
            </Anchor>
          )}
        </Text>
        <span role="status">
          <StateBadge label={text.states[state]} color={COLORS[state]} />
        </span>
      </Group>
      {isKnown && (
        <Text size="xs" c="dimmed">
          {text.bothSides(integration?.kind, status ?? text.states[state], STATUS_NAMES[finding.status])}
        </Text>
      )}
      {reason !== undefined && (
        <Text size="xs">{state === 'pending' ? text.whyNotYet(reason) : <bdi>{reason}</bdi>}</Text>
      )}
      {finding_count > 1 && (
        <Text size="xs" c="dimmed">
          {text.sharedBy(finding_count)}
        </Text>
      )}
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          {checked_at !== undefined && text.checked(<Ago time={checked_at} />)}
        </Text>
        {mayChange && (
          <Group gap="xs" data-print-hidden>
            {mayRetry && state === 'failed' && integration && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={text.tryIssueAgain(name)}
                loading={create.isPending}
                onClick={() => create.ask({ integration_id: integration.id, ...(url && { url }) })}
              >
                {text.tryAgain}
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              aria-label={text.unlinkIssue(name)}
              loading={unlink.isPending}
              onClick={unlink.ask}
            >
              {text.unlink}
            </Button>
          </Group>
        )}
      </Group>
    </li>
  );
}
