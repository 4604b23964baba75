import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkBox } from '../components/links.tsx';
import numbers from '../components/Numbers.module.css';
import { SeverityBar } from '../findings/SeverityBar.tsx';
import { Card } from './Card.tsx';

const HEIGHT = 106;

interface Stats {
  total_findings: number;
  total_scans: number;
  active_scans: number;
  severity_breakdown: Schemas['SeveritySummary'];
}

/** The totals, including resolved findings. */
export function Totals({ query }: { query: UseQueryResult<Stats> }) {
  const params = { org: useOrg().slug };
  return (
    <Card title="Total">
      <Loaded query={query} waiting={<Skeleton height={HEIGHT} />}>
        {(stats) => (
          <Stack gap={10} mih={HEIGHT} justify="space-between">
            <SimpleGrid cols={3} spacing={4} className={numbers.flush}>
              <LinkBox to="/o/$org/findings" params={params} search={{}} className={numbers.link}>
                <Total value={stats.total_findings}>Findings</Total>
              </LinkBox>
              <LinkBox to="/o/$org/scans" params={params} search={{}} className={numbers.link}>
                <Total value={stats.total_scans}>Scans</Total>
              </LinkBox>
              <LinkBox
                to="/o/$org/scans"
                params={params}
                search={{ status: 'running' }}
                className={numbers.link}
              >
                <Total value={stats.active_scans}>Running</Total>
              </LinkBox>
            </SimpleGrid>
            <SeverityBar
              counts={stats.severity_breakdown}
              height={10}
              partTo={(severity) => ({ severity: [severity] })}
            />
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

function Total({ value, children }: { value: number; children: ReactNode }) {
  return (
    <>
      <Text className={numbers.big} c={value === 0 ? 'dimmed' : undefined}>
        {value.toLocaleString('en')}
      </Text>
      <Text size="sm">{children}</Text>
    </>
  );
}
