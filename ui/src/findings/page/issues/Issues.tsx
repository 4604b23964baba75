import { Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/findings/page/issues.tsx';
import { useOrg } from '../../../app/session.ts';
import { Loaded } from '../../../components/Loaded.tsx';
import { OrgAnchor } from '../../../components/links.tsx';
import { useMayIn } from '../../../projects/allowed-projects.ts';
import type { Finding } from '../../finding-queries.ts';
import classes from '../Finding.module.css';
import { AddIssue } from './AddIssue.tsx';
import { IssueEntry } from './IssueEntry.tsx';
import { issuesQuery } from './queries.ts';

/**
 * The issues of a finding at issue trackers. If it has none and can get none, admins see where to connect a tracker, and others see
 * nothing.
 */
export function Issues({ finding }: { finding: Finding }) {
  const org = useOrg();
  const query = useQuery(issuesQuery(org, finding.id, finding));
  const mayChange = useMayIn('createIssue', finding.project_id) ?? false;
  const mayConnect = org.may('listIntegrations');
  const { issues = [], integrations = [] } = query.data ?? {};
  const isEmpty = query.data !== undefined && issues.length + integrations.length === 0;
  if (query.isPending || (isEmpty && !mayConnect)) return null;
  return (
    // The focus goes to it when the issue with the focus disappears.
    <section aria-labelledby="issues" tabIndex={-1}>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Title order={2} id="issues">
          {text.issues}
        </Title>
        {mayChange && integrations.length > 0 && (
          <AddIssue finding={finding} issues={issues} integrations={integrations} />
        )}
      </Group>
      <Loaded query={query}>
        {() =>
          issues.length > 0 ? (
            <ul className={classes.refs}>
              {issues.map((issue) => (
                <IssueEntry
                  key={issue.id}
                  finding={finding}
                  issue={issue}
                  mayChange={mayChange}
                  mayRetry={mayChange && integrations.some(({ id }) => id === issue.integration?.id)}
                />
              ))}
            </ul>
          ) : (
            <Text size="sm" c="dimmed">
              {isEmpty ? text.noTracker : text.noIssue}{' '}
              {isEmpty && (
                <OrgAnchor to="/o/$org/settings" hash="integrations" inherit underline="always">
                  {text.connectTracker}
                </OrgAnchor>
              )}
            </Text>
          )
        }
      </Loaded>
    </section>
  );
}
