import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { LinkAnchor, LinkButton } from '../../components/links.tsx';
import { FindingItems } from '../../findings/FindingItems.tsx';
import type { Scan } from '../../scans/queries.ts';
import { isLive } from '../../scans/queries.ts';

/** How many of the first findings are shown. */
const SHOWN = 3;

/** Waits for the first finding, and says what became of the latest scan. */
export function Waits({ scan }: { scan: Scan | undefined }) {
  const { slug } = useOrg();
  const ended = scan !== undefined && !isLive(scan);
  return (
    <Stack gap="xs">
      {ended && (
        <Text size="sm">
          The scan{' '}
          <LinkAnchor to="/o/$org/scans/$id" params={{ org: slug, id: scan.id }} inherit>
            <bdi>{scan.name}</bdi>
          </LinkAnchor>{' '}
          {scan.status === 'completed'
            ? 'is complete and found nothing, which is good news. Try another project or scanner to see findings.'
            : scan.status === 'failed'
              ? 'failed. Its page says why; run it again when that is mended.'
              : 'does not go on. Run it again.'}
        </Text>
      )}
      <Group gap="sm" wrap="nowrap" role="status">
        <Loader size="sm" type="dots" aria-hidden />
        <Text size="sm">
          {scan && !ended ? (
            <>
              <bdi>{scan.name}</bdi> is running. Nothing was found so far.
            </>
          ) : (
            'Waiting for the first finding. It shows up here by itself.'
          )}
        </Text>
      </Group>
    </Stack>
  );
}

interface Props {
  findings: Schemas['ListedFinding'][];
  total: number;
  onDone: () => void;
}

/** The first findings are there. */
export function Arrived({ findings, total, onDone }: Props) {
  const { slug } = useOrg();
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {total === 1
          ? 'There it is. Open it to see what it says, and to triage it.'
          : `There they are: ${total.toLocaleString('en')} by now. Open one to see what it says, and to triage it.`}
      </Text>
      <FindingItems findings={findings.slice(0, SHOWN)} list={{}} />
      <Group>
        <LinkButton to="/o/$org/findings" params={{ org: slug }} search={{ sort: '-severity' }}>
          Open the findings
        </LinkButton>
        <Button variant="default" onClick={onDone}>
          Open the dashboard
        </Button>
      </Group>
    </Stack>
  );
}
