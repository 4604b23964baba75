import { Group, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import * as words from '#strings/uploads.tsx';
import type { FindingSearch } from '../app/search.ts';
import { type OrgSession, useOrg } from '../app/session.ts';
import { OrgAnchor } from '../components/links.tsx';
import { scannerName } from '../scans/scan-name.ts';
import classes from './Uploads.module.css';
import type { ImportedReport, Upload } from './upload.ts';
import { uploadProblem } from './upload-problem.ts';

/** The result of an import, with links to its scan and findings. */
export function UploadResult({ report }: { report: ImportedReport }) {
  const { scan, format } = report;
  const hasFailed = scan.status === 'failed';
  return (
    <>
      <Group gap="0 var(--mantine-spacing-sm)">
        <Text size="sm" c="dimmed">
          {(hasFailed
            ? words.readAsFailed
            : scan.error_message
              ? words.importedWithWarnings
              : words.importedAs)(scannerName(format))}
        </Text>
        {isWithoutFindings(report) ? (
          !hasFailed && <Text size="sm">{words.noFindings}</Text>
        ) : (
          <Counts report={report} />
        )}
        <OrgAnchor to="/o/$org/scans/$id" params={{ id: scan.id }} size="sm">
          {words.openScan}
        </OrgAnchor>
      </Group>
      {scan.error_message && (
        <Text size="sm" lineClamp={3} className={classes.message}>
          <bdi>{scan.error_message}</bdi>
        </Text>
      )}
    </>
  );
}

/** The differences from the scan before. The key differs from that of the page of a scan, so that an import does not renew them. */
const differencesQuery = ({ slug, api }: OrgSession, id: string) =>
  queryOptions({
    queryKey: ['uploads', slug, id],
    queryFn: async ({ signal }) =>
      (await api.get('/scans/{id}/changes', { params: { path: { id } }, signal })).result,
    staleTime: Number.POSITIVE_INFINITY,
  });

function Counts({ report }: { report: ImportedReport }) {
  const org = useOrg();
  const { scan, changes } = report;
  const isFirst = changes.again + changes.gone === 0;
  const { data } = useQuery({ ...differencesQuery(org, scan.id), enabled: !isFirst });

  /** The list of the counted findings, if it can show them. */
  function searchFor(count: Count): FindingSearch | undefined {
    const ofScan = { scan_id: scan.id };
    const against = data?.against?.id;
    // The scan before may be of another scanner. Then the differences from it are other findings than those of the counts.
    if (data && against !== undefined) {
      const between = { ...ofScan, against };
      if (count === 'new' && data.new === changes.new) return { ...between, change: 'new' };
      if (count === 'again' && data.seen_again === changes.again) return { ...between, change: 'seen_again' };
      if (count === 'gone' && data.gone === changes.gone) return { ...between, change: 'gone' };
    }
    // The list begins with the newest findings.
    return count === 'new' ? ofScan : undefined;
  }

  return (
    <>
      {countsOf(report).map(({ count, text }) => {
        const search = changes[count] > 0 ? searchFor(count) : undefined;
        return search ? (
          <OrgAnchor key={count} to="/o/$org/findings" search={search} size="sm" fw={500}>
            {text}
          </OrgAnchor>
        ) : (
          <Text key={count} size="sm" fw={count === 'new' ? 500 : 400}>
            {text}
          </Text>
        );
      })}
    </>
  );
}

type Count = keyof ImportedReport['changes'];

/** The counts of an import that are worth showing, in their order. */
function countsOf({ changes }: ImportedReport): { count: Count; text: string }[] {
  const names = ['new', 'again', 'gone', 'regressed'] as const;
  return names
    .filter((name) => name === 'new' || changes[name] > 0)
    .map((name) => ({ count: name, text: words.counts[name](changes[name]) }));
}

/** Whether an import has neither stored nor missed findings. */
const isWithoutFindings = ({ changes: { new: found, again, gone } }: ImportedReport): boolean =>
  found + again + gone === 0;

/** How an upload ended, for screen readers; undefined if it has not ended. */
export function outcomeOf({ label, state, file }: Upload): string | undefined {
  switch (state.kind) {
    case 'imported':
      return words.imported(label, summaryOf(state.report));
    case 'failed': {
      const { title, advice } = uploadProblem(state.error, file?.name ?? '', state.wasSent);
      return words.failed(label, title, advice);
    }
    case 'canceled':
      return words.wasCanceled(label);
    case 'refused':
      return words.notUploaded(label, state.title, state.advice);
    case 'waiting':
      return words.sentLater(label);
    default:
      return undefined;
  }
}

function summaryOf(report: ImportedReport): string {
  const { scan } = report;
  if (scan.status === 'failed') return words.scanFailed(scan.error_message ?? '');
  if (isWithoutFindings(report)) {
    return scan.error_message ? words.reportIsEmptyWithWarnings : words.reportIsEmpty;
  }
  const counts = countsOf(report).map(({ text }) => text);
  return (scan.error_message ? words.findingsWithWarnings : words.findings)(counts);
}

/** Such as "3 uploads, 2 in progress". */
export function progressOf(all: number, active: number): string {
  return active === 0 ? words.files(all) : words.filesInProgress(all, active);
}
