import {
  ActionIcon,
  ColorSwatch,
  Group,
  ScrollArea,
  SegmentedControl,
  Skeleton,
  Table,
  Text,
  Tooltip,
} from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { SEVERITIES } from '../app/search.ts';
import { whenUp } from '../app/server.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { SEVERITY_NAMES, severityColor } from '../findings/Severity.tsx';
import { Card } from './Card.tsx';
import { shortDay } from './days.ts';
import { type Trend as Days, trendQuery } from './queries.ts';

const TrendChart = lazy(whenUp(async () => ({ default: (await import('./TrendChart.tsx')).TrendChart })));

const SPANS = ['7', '30', '90'];
const HEIGHT = 186;

/**
 * New findings over time.
 * @param ready whether the counts have loaded
 */
export function Trend({ ready }: { ready: boolean }) {
  const org = useOrg();
  const [stored, setDays] = useLocalStorage({
    key: 'trend-days',
    defaultValue: '30',
    getInitialValueInEffect: false,
  });
  const days = SPANS.includes(stored) ? stored : '30';
  const [asTable, setAsTable] = useState(false);
  const query = useQuery({
    ...trendQuery(org, Number(days)),
    enabled: ready,
    placeholderData: keepPreviousData,
  });
  const switching = asTable ? 'Show as a chart' : 'Show as a table';
  return (
    <Card
      title="New findings"
      side={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Days"
            data={SPANS.map((value) => ({ value, label: `${value} days` }))}
            value={days}
            onChange={setDays}
          />
          <Tooltip label={switching}>
            <ActionIcon variant="default" aria-label={switching} onClick={() => setAsTable(!asTable)}>
              {asTable ? <IconChartBar size={16} /> : <IconTable size={16} />}
            </ActionIcon>
          </Tooltip>
        </Group>
      }
    >
      <Loaded query={query} waiting={<Skeleton height={HEIGHT + 22} />}>
        {(trend) => {
          const words = inWords(trend);
          return (
            <>
              <Group justify="space-between" gap="xs" mih={22}>
                <Text size="xs" c="dimmed" aria-live="polite">
                  {words}
                </Text>
                {!asTable && <Legend />}
              </Group>
              {asTable ? (
                <ScrollArea.Autosize
                  mah={HEIGHT}
                  // A scrollable element must be reachable by keyboard.
                  viewportProps={{ tabIndex: 0 }}
                  data-print-hidden
                >
                  <TrendTable trend={trend} />
                </ScrollArea.Autosize>
              ) : (
                <div className="screen-chart">
                  <Suspense fallback={<Skeleton height={HEIGHT} />}>
                    <TrendChart
                      trend={trend}
                      height={HEIGHT}
                      label={`Chart of new findings by day and severity. ${words} A table shows the same data.`}
                    />
                  </Suspense>
                </div>
              )}
              {/* Paper has another width than the window, for which the chart was drawn. */}
              <div className="print-only">
                <TrendTable trend={trend} />
              </div>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function inWords(trend: Days): string {
  const total = trend.reduce((sum, day) => sum + day.total, 0);
  const unresolved = trend.reduce((sum, day) => sum + day.unresolved, 0);
  if (total === 0) return `No new findings in ${trend.length} days.`;
  return `${total.toLocaleString('en')} new in ${trend.length} days, ${unresolved.toLocaleString('en')} of them unresolved.`;
}

function Legend() {
  return (
    <Group gap="sm" aria-hidden data-print-hidden>
      {SEVERITIES.map((severity) => (
        <Group key={severity} gap={4}>
          <ColorSwatch color={severityColor(severity)} size={10} radius={2} withShadow={false} />
          <Text size="xs">{SEVERITY_NAMES[severity]}</Text>
        </Group>
      ))}
    </Group>
  );
}

function TrendTable({ trend }: { trend: Days }) {
  return (
    <Table stickyHeader verticalSpacing={4} fz="xs" captionSide="bottom">
      <Table.Caption>Days without new findings are omitted. Days are in UTC.</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day</Table.Th>
          <Table.Th>Total</Table.Th>
          {SEVERITIES.map((severity) => (
            <Table.Th key={severity}>{SEVERITY_NAMES[severity]}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {trend
          .filter(({ total }) => total > 0)
          .reverse()
          .map((day) => (
            <Table.Tr key={day.date}>
              <Table.Th scope="row" fw={500}>
                {shortDay(day.date)}
              </Table.Th>
              <Table.Td>{day.total.toLocaleString('en')}</Table.Td>
              {SEVERITIES.map((severity) => (
                <Table.Td key={severity}>{day[severity].toLocaleString('en')}</Table.Td>
              ))}
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
