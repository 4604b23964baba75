import { List, Stack, Text } from '@mantine/core';
import { Copyable } from '../../../components/Copy.tsx';
import { Collapsible } from '../Collapsible.tsx';
import { explain, ratingOf } from './cvss.ts';

/** A CVSS vector with an explanation of each metric. */
export function Cvss({ vector, score }: { vector: string; score: number | undefined }) {
  const explained = explain(vector);
  const shown = score ?? explained?.score;
  return (
    <Stack gap={6}>
      <div>
        {shown !== undefined && <strong>{shown.toFixed(1)}</strong>}
        {explained && (
          <>
            {' '}
            by CVSS {explained.version}, {ratingOf(explained.version, score ?? explained.score)}
          </>
        )}
        {explained && score !== undefined && score !== explained.score && (
          <Text size="xs" c="dimmed">
            Reported score. The vector results in {explained.score.toFixed(1)}.
          </Text>
        )}
      </div>
      {explained ? (
        <Collapsible summary="Metrics">
          <Copyable value={vector} label="Copy the vector" />
          <List size="sm" spacing={4} listStyleType="none" p={0} mt="xs" aria-label="Metrics of the vector">
            {explained.metrics.map(({ code, name, value, meaning }) => (
              <List.Item key={code}>
                {name}: <strong>{value}</strong>
                {meaning && (
                  <Text size="xs" c="dimmed">
                    {meaning}
                  </Text>
                )}
              </List.Item>
            ))}
          </List>
        </Collapsible>
      ) : (
        <>
          <Copyable value={vector} label="Copy the vector" />
          <Text size="xs" c="dimmed">
            Not a CVSS 2.0, 3.0, 3.1 or 4.0 vector. Shown as reported.
          </Text>
        </>
      )}
    </Stack>
  );
}
