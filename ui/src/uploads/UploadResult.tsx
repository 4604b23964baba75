import { Group, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import * as words from '#strings/uploads.tsx';
import type { FindingSearch } from '../app/search.ts';
import { type OrgSession, useOrg } from '../app/session.ts';
import { LinkAnchor } from '../components/links.tsx';
import { type Count, countsOf, isWithoutFindings } from './result-text.ts';
import classes from './Uploads.module.css';
import type { ImportedReport } from './upload.ts';

/** The result of an import, with links to its scan and findings. */
export function UploadResult({ report }: { report: ImportedReport }) {
  const { slug } = useOrg();
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
              : words.importedAs)(format)}
        </Text>
        {isWithoutFindings(report) ? (
          !hasFailed && <Text size="sm">{words.noFindings}</Text>
        ) : (
          <Counts report={report} />
        )}
        <LinkAnchor to="/o/$org/scans/$id" params={{ org: slug, id: scan.id }} size="sm">
          {words.openScan}
        </LinkAnchor>
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
          <LinkAnchor
            key={count}
            to="/o/$org/findings"
            params={{ org: org.slug }}
            search={search}
            size="sm"
            fw={500}
          >
            {text}
          </LinkAnchor>
        ) : (
          <Text key={count} size="sm" fw={count === 'new' ? 500 : 400}>
            {text}
          </Text>
        );
      })}
    </>
  );
}
