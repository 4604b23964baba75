import { Group, NativeSelect, Skeleton, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/scans.tsx';
import type { Schemas } from '../app/api.ts';
import { SEVERITIES, scanSearch } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { ShowMore } from '../components/ShowMore.tsx';
import { FindingItems } from '../findings/FindingItems.tsx';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';
import { severityWords } from '../findings/SeverityBar.tsx';
import { IconCircleCheck, IconCircleX } from '../icons/icons.ts';
import { type Scan, scanGateQuery } from './queries.ts';
import { ScanLink } from './ScanLink.tsx';

/** The number of findings shown at first. */
const SHOWN = 10;

const route = getRouteApi('/_signed-in/o/$org/scans/$id');

/** Whether a scan has new findings, compared with the branch that it goes into. */
export function Gate({ scan }: { scan: Scan }) {
  const { fail_on = 'high' } = route.useSearch();
  const navigate = route.useNavigate();
  const gate = useQuery({
    ...scanGateQuery(useOrg(), scan.id, fail_on),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="xs" component="section" aria-labelledby="gate">
      <Group justify="space-between">
        <Title order={2} id="gate">
          {text.gate}
        </Title>
        <Group gap="xs">
          <Text size="sm" c="dimmed" aria-hidden>
            {text.failsOn}
          </Text>
          <NativeSelect
            size="xs"
            aria-label={text.failsOn}
            data={SEVERITIES.map((value) => ({ value, label: text.andAbove(SEVERITY_NAMES[value]) }))}
            value={fail_on}
            onChange={({ currentTarget: { value } }) =>
              navigate({ search: (search) => scanSearch({ ...search, fail_on: value }), replace: true })
            }
          />
        </Group>
      </Group>
      <Loaded query={gate} waiting={<Skeleton height={72} data-waiting />}>
        {(gate) => <Result gate={gate} target={scan.target} />}
      </Loaded>
    </Stack>
  );
}

interface ResultProps {
  gate: Schemas['Gate'];
  target: Scan['target'];
}

function Result({ gate: { passed, base, counts, total, findings }, target }: ResultProps) {
  const bySeverity = severityWords(counts);
  /** The branch that a scan of another one is compared with. */
  const baseRef = base?.ref && base.ref !== target?.ref ? <bdi>{base.ref}</bdi> : undefined;
  const scan = base && <ScanLink id={base.scan_id} />;
  const result = () => {
    if (passed) return text.passes();
    return baseRef ? text.failsOnBase(total, baseRef, bySeverity) : text.fails(total, bySeverity);
  };
  const comparison = () => {
    if (scan) return baseRef ? text.comparedWith(baseRef, scan) : text.comparedWithScan(scan);
    return target?.base_ref ? text.baseNotScanned(<bdi>{target.base_ref}</bdi>) : text.noBase;
  };
  const Icon = passed ? IconCircleCheck : IconCircleX;
  return (
    <>
      <div role="status" style={{ overflowWrap: 'anywhere' }}>
        <Group gap={6} wrap="nowrap" align="start">
          <Icon
            size={20}
            aria-hidden
            color={passed ? 'var(--status-resolved)' : 'var(--mantine-color-error)'}
            style={{ flex: 'none' }}
          />
          <Text size="sm">{result()}</Text>
        </Group>
        <Text size="sm" c="dimmed">
          {comparison()} {text.whatPasses}
        </Text>
      </div>
      <ShowMore items={findings} count={SHOWN}>
        {(shown) => shown.length > 0 && <FindingItems findings={shown} />}
      </ShowMore>
      {total > findings.length && (
        <Text size="sm" c="dimmed">
          {text.mostSevere(findings.length)}
        </Text>
      )}
    </>
  );
}
