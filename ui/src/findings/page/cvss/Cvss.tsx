import { List, Stack, Text } from '@mantine/core';
import { CVSS20, CVSS30, CVSS31, CVSS40 } from '@pandatix/js-cvss';
import { METRICS } from '#strings/findings/page/cvss/metrics.ts';
import * as text from '#strings/findings/page/cvss.tsx';
import { Copyable } from '../../../components/Copy.tsx';
import { Collapsible } from '../Collapsible.tsx';

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

type Version = keyof typeof METRICS;

/** A vector with the names of its metrics. */
interface Explained {
  version: Version;
  score: number;
  metrics: { code: string; name: string; value: string; meaning: string | undefined }[];
}

const TEMPORAL = ['E', 'RL', 'RC'];
const REQUIRED = ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A'];

/**
 * Explains a CVSS vector and computes its score, including temporal and environmental metrics.
 * @returns undefined if it is not a vector of a known version
 */
function explain(vector: string): Explained | undefined {
  const { version, plain } = versionOf(vector.trim());
  const given = plain
    .replace(/^CVSS:[^/]*\//, '')
    .split('/')
    .map((part) => part.split(':') as [string, string?]);
  const defined = given.filter(([, value]) => value !== 'X' && value !== 'ND');
  const score = scoreOf(
    version,
    plain,
    defined.map(([code]) => code),
  );
  if (score === undefined) return undefined;
  const metrics = defined.map(([code, value = '']) => {
    const metric = METRICS[version][code];
    const words = metric?.values[value] ?? value;
    const [name, meaning] = typeof words === 'string' ? [words] : words;
    return { code: `${code}:${value}`, name: metric?.name ?? code, value: name, meaning };
  });
  return { version, score, metrics };
}

/** Vectors of version 2 have no prefix and often have parentheses. */
function versionOf(vector: string): { version: Version; plain: string } {
  for (const version of ['4.0', '3.1', '3.0'] as const) {
    if (vector.startsWith(`CVSS:${version}/`)) return { version, plain: vector };
  }
  return { version: '2.0', plain: vector.replace(/^CVSS:2\.0\//, '').replace(/^\((.*)\)$/, '$1') };
}

function scoreOf(version: Version, plain: string, codes: readonly string[]): number | undefined {
  try {
    if (version === '4.0') return new CVSS40(plain).Score();
    // The library accepts vectors with missing base metrics.
    if (version !== '2.0' && !REQUIRED.every((code) => codes.includes(code))) return undefined;
    const parsed =
      version === '2.0' ? new CVSS20(plain) : version === '3.0' ? new CVSS30(plain) : new CVSS31(plain);
    const extra = codes.filter((code) => code !== 'Au' && !REQUIRED.includes(code));
    if (extra.length === 0) return roundUp(parsed.BaseScore());
    return roundUp(
      extra.every((code) => TEMPORAL.includes(code)) ? parsed.TemporalScore() : parsed.EnvironmentalScore(),
    );
  } catch {
    return undefined;
  }
}

/** The specification rounds up to one decimal. The library does not do so if the score has exactly two. */
const roundUp = (score: number) => Math.ceil(Number((score * 10).toFixed(4))) / 10;

/** The rating of a score. */
function ratingOf(version: Version, score: number): 'none' | 'low' | 'medium' | 'high' | 'critical' {
  if (score === 0 && version !== '2.0') return 'none';
  if (score < 4) return 'low';
  if (score < 7) return 'medium';
  return score < 9 || version === '2.0' ? 'high' : 'critical';
}
