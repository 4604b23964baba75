import { List, Stack, Text } from '@mantine/core';
import * as text from '#strings/findings/page/cvss.tsx';
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
        {explained
          ? text.byVersion(shown, explained.version, ratingOf(explained.version, score ?? explained.score))
          : shown !== undefined && <strong>{text.score(shown)}</strong>}
        {explained && score !== undefined && score !== explained.score && (
          <Text size="xs" c="dimmed">
            {text.vectorResultsIn(explained.score)}
          </Text>
        )}
      </div>
      {explained ? (
        <Collapsible summary={text.metrics}>
          <Copyable value={vector} label={text.copyVector} />
          <List size="sm" spacing={4} listStyleType="none" p={0} mt="xs" aria-label={text.metricsOfVector}>
            {explained.metrics.map(({ code, name, value, meaning }) => (
              <List.Item key={code}>
                {text.metric(name, value)}
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
          <Copyable value={vector} label={text.copyVector} />
          <Text size="xs" c="dimmed">
            {text.notAVector}
          </Text>
        </>
      )}
    </Stack>
  );
}
