import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconMoodCheck } from '@tabler/icons-react';
import { LinkAnchor, LinkBox } from '../../parts/links.tsx';
import numbers from '../../parts/Numbers.module.css';
import { SEVERITY_NAMES, severityColor } from '../../parts/Severity.tsx';
import { SeverityBar, type SeverityCounts } from '../../parts/SeverityBar.tsx';
import { SEVERITIES, UNRESOLVED } from '../../search.ts';
import { useOrg } from '../../session.ts';
import { Card } from './Card.tsx';

/** So that nothing moves when the numbers come. */
const HEIGHT = 106;

interface Props {
  /** Unresolved findings; undefined while they are loaded. */
  unresolved: SeverityCounts | undefined;
  /** Findings of every status. */
  all: SeverityCounts | undefined;
}

/** What nobody has settled yet, by severity; each number leads to its findings. */
export function Attention({ unresolved, all }: Props) {
  const { slug } = useOrg();
  const total = unresolved && SEVERITIES.reduce((sum, severity) => sum + unresolved[severity], 0);
  const status = [...UNRESOLVED];
  const sort = '-severity';
  return (
    <Card
      title="Needs attention"
      side={
        total !== undefined &&
        total > 0 && (
          <LinkAnchor to="/o/$org/findings" params={{ org: slug }} search={{ status, sort }} size="sm">
            {total.toLocaleString('en')} unresolved {total === 1 ? 'finding' : 'findings'}
          </LinkAnchor>
        )
      }
    >
      {unresolved === undefined ? (
        <Skeleton height={HEIGHT} />
      ) : total === 0 ? (
        <Group mih={HEIGHT} justify="center" gap="xs">
          <IconMoodCheck aria-hidden />
          <Text>All findings are settled.</Text>
        </Group>
      ) : (
        <Stack gap={10} mih={HEIGHT}>
          <SimpleGrid cols={{ base: 3, xs: 5 }} spacing={4} className={numbers.flush}>
            {SEVERITIES.map((severity) => (
              <LinkBox
                key={severity}
                to="/o/$org/findings"
                params={{ org: slug }}
                search={{ severity: [severity], status }}
                className={numbers.link}
              >
                <Text
                  className={numbers.big}
                  c={unresolved[severity] > 0 ? severityColor(severity) : 'dimmed'}
                >
                  {unresolved[severity].toLocaleString('en')}
                </Text>
                <Text size="sm">{SEVERITY_NAMES[severity]}</Text>
                <Text size="xs" c="dimmed">
                  of {all ? all[severity].toLocaleString('en') : '…'}
                </Text>
              </LinkBox>
            ))}
          </SimpleGrid>
          <SeverityBar
            counts={unresolved}
            height={10}
            partTo={(severity) => ({ severity: [severity], status })}
          />
        </Stack>
      )}
    </Card>
  );
}
