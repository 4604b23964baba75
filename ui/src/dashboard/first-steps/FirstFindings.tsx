import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { LinkAnchor, LinkButton } from '../../components/links.tsx';
import { FindingItems } from '../../findings/FindingItems.tsx';
import type { Scan } from '../../scans/queries.ts';
import { isLive } from '../../scans/queries.ts';

/** The number of findings shown. */
const SHOWN = 3;

/** Waits for the first finding and shows the state of the latest scan. */
export function WaitForFinding({ scan }: { scan: Scan | undefined }) {
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
            ? 'is complete and has no findings. Scan another project or use another scanner.'
            : scan.status === 'failed'
              ? 'failed. Open it to see the reason, then run it again.'
              : 'has stopped. Run it again.'}
        </Text>
      )}
      <Group gap="sm" wrap="nowrap" role="status">
        <Loader size="sm" type="dots" aria-hidden />
        <Text size="sm">
          {scan && !ended ? (
            <>
              <bdi>{scan.name}</bdi> is running. No findings so far.
            </>
          ) : (
            'Waiting for the first finding. It appears here automatically.'
          )}
        </Text>
      </Group>
    </Stack>
  );
}

interface Props {
  findings: Schemas['ListedFinding'][];
  total: number;
  /** The project, if its findings were uploaded. */
  uploadedTo: { slug: string } | undefined;
  onDone: () => void;
}

/** Shows the first findings. */
export function FirstFindings({ findings, total, uploadedTo, onDone }: Props) {
  const { slug } = useOrg();
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {total === 1
          ? '1 finding received. Open it to see the details and to set its status.'
          : `${total.toLocaleString('en')} findings received. Open one to see the details and to set its status.`}
      </Text>
      <FindingItems findings={findings.slice(0, SHOWN)} list={{}} />
      {uploadedTo && (
        <Text size="sm">
          svc-agent can send reports after each scan. The{' '}
          <LinkAnchor to="/o/$org/projects/$slug" params={{ org: slug, slug: uploadedTo.slug }} inherit>
            page of the project
          </LinkAnchor>{' '}
          has the commands.
        </Text>
      )}
      <Group>
        <LinkButton to="/o/$org/findings" params={{ org: slug }} search={{ sort: '-severity' }}>
          Open findings
        </LinkButton>
        <Button variant="default" onClick={onDone}>
          Open dashboard
        </Button>
      </Group>
    </Stack>
  );
}
