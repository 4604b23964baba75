import { Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/audit.tsx';
import { limitedToProjects } from '#strings/projects/limited.ts';
import { AUDIT_ACTIONS } from '../../../lib/audit/actions.ts';
import { ServiceError } from '../app/api.ts';
import { rolesAllowed } from '../app/roles.ts';
import { stringifySearch, withoutUndefined } from '../app/search.ts';
import { useMe, useOrg } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { Pages } from '../components/Pages.tsx';
import { saveFile } from '../components/save-file.ts';
import { Ago } from '../components/time/Time.tsx';
import { IconDownload, IconHistory, IconLock } from '../icons/icons.ts';
import { membersQuery } from '../members/queries.ts';
import { type AuditEntry, auditQuery } from './queries.ts';
import { type AuditSearch, filterOf } from './search.ts';

const PER_PAGE = 50;
/** The service counts at most this number of entries after the page. */
const COUNTED_AHEAD = 10_000;

const route = getRouteApi('/_signed-in/o/$org/audit');

/** The audit log of the organization, for admins and owners. */
export function Audit() {
  const org = useOrg();
  if (org.may('listAudit')) return <Log />;
  return (
    <Page title={text.auditLog} description={<Description />}>
      <Empty
        icon={<IconLock />}
        title={org.isLimited ? limitedToProjects : text.whoSeesIt(rolesAllowed('listAudit'))}
      />
    </Page>
  );
}

const Description = () =>
  text.whatIsListed((word) => (
    <OrgAnchor to="/o/$org/activity" inherit underline="always">
      {word}
    </OrgAnchor>
  ));

type Next = { [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined };

function Log() {
  const org = useOrg();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { page = 1, ...filters } = search;
  const filter = filterOf(filters);
  const query = useQuery(auditQuery(org, filter, page, PER_PAGE));
  const show = (next: Next) =>
    navigate({ search: withoutUndefined<AuditSearch>({ ...filters, ...next }), resetScroll: 'page' in next });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title={text.auditLog}
      description={<Description />}
      actions={
        <>
          <Export format="csv" label={text.exportCsv} filter={filter} />
          <Export format="jsonl" label={text.exportJson} filter={filter} />
        </>
      }
    >
      <Filters search={filters} onChange={show} />
      <Text size="sm" c="dimmed" aria-live="polite" mih={20}>
        {query.data && text.count(query.data.total, query.data.total >= page * PER_PAGE + COUNTED_AHEAD)}
      </Text>
      <Loaded query={query}>
        {({ entries, pages, total }) =>
          entries.length === 0 ? (
            <Empty
              icon={<IconHistory />}
              title={total > 0 ? text.pageIsEmpty : isFiltered ? text.nothingMatches : text.nothing}
            >
              {isFiltered ? (
                <OrgAnchor to="/o/$org/audit" search={{}}>
                  {text.showAll}
                </OrgAnchor>
              ) : (
                text.nothingYet
              )}
            </Empty>
          ) : (
            <Stack>
              <Entries entries={entries} />
              <Pages
                total={pages}
                page={page}
                onChange={(value) => show({ page: value === 1 ? undefined : value })}
              />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

/** The entries as a table. On narrow screens, each is one cell. */
function Entries({ entries }: { entries: AuditEntry[] }) {
  const wide = [text.time, text.person, text.action, text.target, text.changes, text.address];
  return (
    <Table verticalSpacing="xs" aria-label={text.auditLog}>
      <Table.Thead visibleFrom="md">
        <Table.Tr>
          {wide.map((name) => (
            <Table.Th key={name}>{name}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody style={{ overflowWrap: 'anywhere' }}>
        {entries.map((entry) => (
          <Table.Tr key={entry.id}>
            <Table.Td visibleFrom="md">
              <Ago time={entry.at} />
            </Table.Td>
            <Table.Td visibleFrom="md">
              <Actor entry={entry} />
            </Table.Td>
            <Table.Td visibleFrom="md">{text.actions[entry.action]}</Table.Td>
            <Table.Td visibleFrom="md">
              <Target entry={entry} />
            </Table.Td>
            <Table.Td visibleFrom="md">
              <Changes entry={entry} />
            </Table.Td>
            <Table.Td visibleFrom="md" title={entry.user_agent}>
              {entry.ip}
            </Table.Td>
            <Table.Td hiddenFrom="md" px={0}>
              <Text size="sm">
                <Text span inherit fw={600}>
                  {text.actions[entry.action]}
                </Text>{' '}
                <Target entry={entry} />
              </Text>
              <Changes entry={entry} />
              <Group gap="0 8px" fz="xs" c="dimmed">
                <Actor entry={entry} />
                <Ago time={entry.at} />
                <span>{entry.ip}</span>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface EntryProps {
  entry: AuditEntry;
}

const Actor = ({ entry: { actor } }: EntryProps) => (
  <bdi>{actor.type === 'token' ? text.token(actor.name ?? '') : (actor.name ?? text.deletedUser)}</bdi>
);

const Target = ({ entry: { target } }: EntryProps) => <bdi>{target.name ?? target.id ?? target.type}</bdi>;

const Changes = ({ entry: { changes } }: EntryProps) =>
  Object.entries(changes).map(([field, change]) => (
    <Text key={field} size="sm" lineClamp={2}>
      {field}: <bdi>{text.change(change)}</bdi>
    </Text>
  ));

/** Downloads all matching entries. A link cannot be used, because it cannot send the header that names the organization. */
function Export({ format, label, filter }: { format: 'csv' | 'jsonl'; label: string; filter: object }) {
  const { slug } = useOrg();
  const exporting = useAction({
    mutationFn: async () => {
      const headers = { 'x-org-slug': slug };
      const response = await fetch(`/api/v1/audit/export.${format}${stringifySearch({ ...filter })}`, {
        headers,
      });
      if (!response.ok) throw new ServiceError(response, await response.json().catch(() => undefined));
      const said = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
      saveFile(new File([await response.blob()], said ?? `audit.${format}`, { type: 'text/plain' }));
    },
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={exporting.isPending}
      onClick={() => exporting.mutate()}
    >
      {label}
    </Button>
  );
}

/** The filters of the address: person, action and time. */
function Filters({ search, onChange }: { search: AuditSearch; onChange(next: Next): void }) {
  const org = useOrg();
  const { user } = useMe();
  const members = useQuery(membersQuery(org)).data ?? [];
  const { actor, action, from, to } = search;
  const people = members.map(({ user_id, name }) => ({
    value: user_id,
    label: user_id === user.id ? text.you(name) : name,
  }));
  if (actor !== undefined && !people.some(({ value }) => value === actor))
    people.push({ value: actor, label: text.anotherActor });
  const width = { base: '100%', xs: 240 };
  return (
    <search aria-label={text.filters}>
      <Group align="flex-end" gap="sm">
        <Select
          label={text.person}
          placeholder={text.anybody}
          data={people}
          value={actor ?? null}
          onChange={(value) => onChange({ actor: value ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': text.anybody }}
          searchable
          selectFirstOptionOnChange
          nothingFoundMessage={text.noPerson}
          limit={100}
          w={width}
        />
        <Select
          label={text.action}
          placeholder={text.allActions}
          data={AUDIT_ACTIONS.map((value) => ({ value, label: text.actions[value] }))}
          value={action ?? null}
          onChange={(value) => onChange({ action: value ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': text.allActions }}
          searchable
          selectFirstOptionOnChange
          nothingFoundMessage={text.noAction}
          w={width}
        />
        <TextInput
          type="date"
          label={text.firstDay}
          value={from ?? ''}
          max={to}
          onChange={({ currentTarget: { value } }) => onChange({ from: value || undefined })}
        />
        <TextInput
          type="date"
          label={text.lastDay}
          value={to ?? ''}
          min={from}
          onChange={({ currentTarget: { value } }) => onChange({ to: value || undefined })}
        />
      </Group>
    </search>
  );
}
