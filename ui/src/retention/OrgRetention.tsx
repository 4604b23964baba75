import { Card, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/retention.ts';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { type Retention, retentionQuery } from './queries.ts';
import { RetentionForm } from './RetentionForm.tsx';

/** How long the organization keeps findings and scans. */
export function OrgRetention() {
  const org = useOrg();
  const retention = useQuery(retentionQuery(org));
  return (
    <Loaded query={retention}>
      {(days) => (org.may('updateRetention') ? <RetentionForm days={days} /> : <Shown days={days} />)}
    </Loaded>
  );
}

const daysText = (days: number | null): string => (days === null ? text.keptForEver : text.days(days));

/** For members who may not change it. */
function Shown({ days }: { days: Retention }) {
  return (
    <Card withBorder component="section" aria-labelledby="retention">
      <Stack gap={6}>
        <Title order={2} fz="md" id="retention">
          {text.retention}
        </Title>
        <Text size="sm">{text.purpose}</Text>
        <List size="sm">
          <List.Item>{text.daysOf(text.resolvedFindings, daysText(days.resolved_findings))}</List.Item>
          <List.Item>{text.daysOf(text.scans, daysText(days.scans))}</List.Item>
        </List>
        <Text size="xs" c="dimmed">
          {text.whoMayChange(rolesAllowed('updateRetention'))}
        </Text>
      </Stack>
    </Card>
  );
}
