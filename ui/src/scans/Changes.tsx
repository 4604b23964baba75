import { Paper, Select, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/scans.tsx';
import { CHANGES, scanSearch } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor, OrgBox } from '../components/links.tsx';
import classes from '../components/Numbers.module.css';
import { number } from '../components/numbers.ts';
import { dateTime } from '../components/time/Time.tsx';
import { isComparable } from './comparable.ts';
import { PERSONAS_IN_SENTENCE } from './persona.ts';
import { isLive, POLL_MS, type Scan, scanChangesQuery, scansQuery } from './queries.ts';
import { aboutScan, scanName } from './scan-name.ts';

/** The number of scans to choose from. */
const CHOICE = 100;

const route = getRouteApi('/_signed-in/o/$org/scans/$id');

/** The differences from the previous scan or from a chosen one. */
export function Changes({ scan }: { scan: Scan }) {
  const org = useOrg();
  const { against } = route.useSearch();
  const changes = useQuery({
    ...scanChangesQuery(org, scan.id, against),
    refetchInterval: isLive(scan) ? POLL_MS : false,
  });
  const other = changes.data?.against;
  return (
    <Stack gap="sm" component="section" aria-labelledby="changes">
      <Title order={2} id="changes">
        {text.changes}
      </Title>
      <Others scan={scan} other={other} chosen={against} />
      <Loaded query={changes} waiting={<Skeleton height={72} />}>
        {(data) =>
          data.against === undefined ? (
            <Text c="dimmed" size="sm">
              {text.noEarlierScan(PERSONAS_IN_SENTENCE[scan.persona])}
            </Text>
          ) : (
            <SimpleGrid cols={3} spacing="xs">
              {CHANGES.map((change) => (
                <Paper key={change} withBorder className={classes.cell}>
                  <OrgBox
                    to="/o/$org/findings"
                    search={{ scan_id: scan.id, ...(data.against && { against: data.against.id }), change }}
                    className={classes.link}
                  >
                    <Text className={classes.number}>{number(data[change])}</Text>
                    <Text size="sm">
                      {change === 'gone' && isLive(scan) ? text.notSeenYet : text.changeNames[change]}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {isLive(scan) ? text.whereFoundSoFar[change] : text.whereFound[change]}
                    </Text>
                  </OrgBox>
                </Paper>
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
    </Stack>
  );
}

const choice = (scan: Scan) => ({
  value: scan.id,
  label: text.scanChoice(
    withoutBidi(scanName(scan)),
    withoutBidi(aboutScan(scan)),
    dateTime(scan.started_at),
  ),
});

/** Removes bidirectional control characters, which would also affect the text after the name. */
const withoutBidi = (name: string) => name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');

function Others(props: { scan: Scan; other: Scan | undefined; chosen: string | undefined }) {
  const { scan, other, chosen } = props;
  const org = useOrg();
  const navigate = route.useNavigate();
  const listed = useQuery(scansQuery(org, { project_id: scan.project_id, per_page: CHOICE }));
  const others = (listed.data?.scans ?? []).filter(({ id }) => id !== scan.id);
  if (other && !others.some(({ id }) => id === other.id)) others.unshift(other);
  if (listed.data && others.length === 0) return null;
  return (
    <Stack gap={4}>
      <Select
        label={text.compareWith}
        description={text.defaultScan}
        placeholder={text.chooseScan}
        data={[
          { group: text.comparableScans, items: others.filter((one) => isComparable(one, scan)).map(choice) },
          { group: text.otherScans, items: others.filter((one) => !isComparable(one, scan)).map(choice) },
        ].filter(({ items }) => items.length > 0)}
        value={chosen ?? other?.id ?? null}
        onChange={(id) =>
          navigate({ search: (search) => scanSearch({ ...search, against: id }), replace: true })
        }
        clearable={chosen !== undefined}
        clearButtonProps={{ 'aria-label': text.compareWithPrevious }}
        searchable
        selectFirstOptionOnChange
        nothingFoundMessage={text.noMatchingScan}
        maw={560}
        styles={{ input: { textOverflow: 'ellipsis' } }}
      />
      {other && (
        <Text size="sm">
          <OrgAnchor to="/o/$org/scans/$id" params={{ id: other.id }} inherit>
            {text.openOtherScan}
          </OrgAnchor>
        </Text>
      )}
    </Stack>
  );
}
