import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import * as text from '#strings/dashboard/first-steps.tsx';
import type { Schemas } from '../../app/api.ts';
import { OrgAnchor, OrgButton } from '../../components/links.tsx';
import { FindingItems } from '../../findings/FindingItems.tsx';
import { isLive, type Scan } from '../../scans/queries.ts';
import { scanName } from '../../scans/scan-name.ts';

/** The number of findings shown. */
const SHOWN = 3;

/** Waits for the first finding and shows the state of the latest scan. */
export function WaitForFinding({ scan }: { scan: Scan | undefined }) {
  const ended = scan !== undefined && !isLive(scan);
  return (
    <Stack gap="xs">
      {ended && (
        <Text size="sm">
          {endOf(scan)(
            <OrgAnchor to="/o/$org/scans/$id" params={{ id: scan.id }} inherit>
              <bdi>{scanName(scan)}</bdi>
            </OrgAnchor>,
          )}
        </Text>
      )}
      <Group gap="sm" wrap="nowrap" role="status">
        <Loader size="sm" type="dots" aria-hidden />
        <Text size="sm">
          {scan && !ended ? text.scanIsRunning(<bdi>{scanName(scan)}</bdi>) : text.waiting}
        </Text>
      </Group>
    </Stack>
  );
}

function endOf({ status }: Scan) {
  if (status === 'completed') return text.scanHasNoFindings;
  return status === 'failed' ? text.scanFailed : text.scanHasStopped;
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
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {text.findingsReceived(total)}
      </Text>
      <FindingItems findings={findings.slice(0, SHOWN)} list={{}} />
      {uploadedTo && (
        <Text size="sm">
          {text.agentCanSend((words) => (
            <OrgAnchor to="/o/$org/projects/$slug" params={{ slug: uploadedTo.slug }} inherit>
              {words}
            </OrgAnchor>
          ))}
        </Text>
      )}
      <Group>
        <OrgButton to="/o/$org/findings" search={{ sort: '-severity' }}>
          {text.openFindings}
        </OrgButton>
        <Button variant="default" onClick={onDone}>
          {text.openDashboard}
        </Button>
      </Group>
    </Stack>
  );
}
