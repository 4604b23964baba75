import {
  type ActorRow,
  type AuditRow,
  type ChangedFindingRow,
  type FindingRow,
  readActors,
  readEntries,
  readFindings,
  readOrgName,
} from '../../db/events/details.ts';
import type { StoredEvent } from '../../db/events/read.ts';
import { readNews, readScans, type ScanNews, type ScanRow } from '../../db/events/scans.ts';
import type { Sql } from '../../db/pool/query.ts';
import { toResource } from '../../db/resources.ts';
import type { Config } from '../config/config.ts';
import { orgUrl } from '../members/invitations.ts';
import type { Org } from '../orgs/directory.ts';
import { type EventIds, idsOf, isAssigned } from './about.ts';
import { type Audience, isSevere, reaches } from './audience.ts';
import { auditData } from './audit-data.ts';
import type { EventBody } from './body.ts';
import { isEntry, isOfFindings, isOfScan } from './types.ts';

/** The organization of the events, and its database. */
export interface RenderContext {
  sql: Sql;
  org: Pick<Org, 'id' | 'slug' | 'tables'>;
  config: Pick<Config, 'publicUrl' | 'baseDomain'>;
}

/** An event with its content. */
export interface LoadedEvent {
  event: StoredEvent;
  /** The ids that it is about. */
  about(): EventIds;
  /** @returns undefined if there is nothing to tell this audience */
  bodyFor(audience: Audience): EventBody | undefined;
}

/** The contents of several events. */
interface Contents {
  organization: { id: string; slug: string; name: string };
  /** The address of the organization in the web UI. */
  base: string;
  findings: ReadonlyMap<string, readonly ChangedFindingRow[]>;
  scans: ReadonlyMap<string, ScanRow>;
  news: ReadonlyMap<string, ScanNews>;
  entries: ReadonlyMap<string, AuditRow>;
  actors: ReadonlyMap<string, ActorRow>;
}

const subjectsOf = (events: readonly StoredEvent[]): string[] =>
  events.flatMap(({ subject }) => subject ?? []);

const byId = <Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [row.id, row]));

function byEvent(rows: readonly ChangedFindingRow[]): Map<string, ChangedFindingRow[]> {
  const found = new Map<string, ChangedFindingRow[]>();
  for (const row of rows) {
    const others = found.get(row.event_id);
    if (others) others.push(row);
    else found.set(row.event_id, [row]);
  }
  return found;
}

/** Reads the content of events. However many they are, there is at most one statement for each kind of content. */
export async function loadEvents(
  { sql, org, config }: RenderContext,
  events: readonly StoredEvent[],
): Promise<LoadedEvent[]> {
  if (events.length === 0) return [];
  const { tables } = org;
  const ofFindings = events.filter(({ type }) => isOfFindings(type));
  const ofScans = events.filter(({ type }) => isOfScan(type));
  const entriesAmong = events.filter(({ type }) => isEntry(type));
  const actorIds = new Set(ofFindings.flatMap(({ actor_id }) => actor_id ?? []));
  const [name, findings, actors, scans, entries] = await Promise.all([
    readOrgName(sql, org.id),
    readFindings(
      sql,
      tables,
      ofFindings.map(({ id }) => id),
    ),
    readActors(sql, tables, [...actorIds]),
    readScans(sql, tables, subjectsOf(ofScans)),
    readEntries(sql, tables, subjectsOf(entriesAmong)),
  ]);
  const contents: Contents = {
    organization: { id: org.id, slug: name?.slug ?? org.slug, name: name?.name ?? org.slug },
    base: orgUrl(config, name?.slug ?? org.slug),
    findings: byEvent(findings),
    scans: byId(scans),
    news: await readNews(sql, tables, scans),
    entries: byId(entries),
    actors: byId(actors),
  };
  return events.map((event) => ({
    event,
    about: () => idsOf(event.type, contents.findings.get(event.id), contents.scans.get(event.subject ?? '')),
    bodyFor: (audience) => bodyOf(event, contents, audience),
  }));
}

function bodyOf(event: StoredEvent, contents: Contents, audience: Audience): EventBody | undefined {
  const { id, type } = event;
  const timestamp = new Date(event.at).toISOString();
  const dataOf = isEntry(type) ? entryData : isOfScan(type) ? scanData : findingData;
  const data = dataOf(event, contents, audience);
  // Each type has its data.
  return data && ({ id, type, timestamp, organization: contents.organization, data } as EventBody);
}

const shownFinding = (
  { base }: Contents,
  { id, title, severity, project_id, source, file, line }: FindingRow,
) => ({
  ...toResource({ id, title, severity, project_id, source, file, line }),
  url: `${base}/findings/${id}`,
});

function actorOf({ actor_id: id }: StoredEvent, { actors }: Contents) {
  if (id === null) return { type: 'system' as const };
  const { token_name, rule_name, user_name } = actors.get(id) ?? {};
  const type = token_name ? 'token' : rule_name ? 'rule' : 'user';
  return toResource({ type, id, name: token_name ?? rule_name ?? user_name ?? null });
}

/** The most findings that an event lists. Their statement has the worst first. */
const MAX_LISTED = 100;

/** Events of these types tell of a change in the activity of each finding. */
const RECORDED = new Set(['finding.status_changed', 'finding.assigned', 'finding.commented']);

function findingData(event: StoredEvent, contents: Contents, audience: Audience): object | undefined {
  const { id, type, subject } = event;
  const rows = (contents.findings.get(id) ?? []).filter(
    (row) =>
      reaches(audience, row.project_id) &&
      isSevere(audience, row.severity) &&
      (audience.assigneeId === undefined ||
        (isAssigned(type, row) && row.assignee_id === audience.assigneeId)) &&
      (row.is_recorded || !RECORDED.has(type)),
  );
  const [first] = rows;
  if (!first) return undefined;
  if (type === 'finding.commented') {
    const comment = { id: subject, text: first.note ?? '', mentions: first.mentions ?? [] };
    return { actor: actorOf(event, contents), finding: shownFinding(contents, first), comment };
  }
  const findings = rows
    .slice(0, MAX_LISTED)
    .map((row) => ({ ...shownFinding(contents, row), ...changeOf(type, row) }));
  const cause = { actor: actorOf(event, contents), ...toResource({ change_id: subject }) };
  return { ...(RECORDED.has(type) && cause), findings, total: rows.length };
}

/** The change of a finding. */
function changeOf(type: string, { from, to, reason, note, due_at }: ChangedFindingRow): object {
  switch (type) {
    case 'finding.status_changed':
      return { status: { from, to }, ...toResource({ reason, note }) };
    case 'finding.assigned':
      return { assignee: toResource({ from, to }) };
    case 'finding.due_soon':
    case 'finding.overdue':
      return toResource({ due_at });
    default:
      return {};
  }
}

function scanData(
  { type, subject }: StoredEvent,
  contents: Contents,
  audience: Audience,
): object | undefined {
  const row = contents.scans.get(subject ?? '');
  if (!row || !reaches(audience, row.project_id)) return undefined;
  const { counts, findings } = contents.news.get(row.id) ?? { counts: [], findings: [] };
  const severe = findings.filter(
    ({ severity, project_id }) => isSevere(audience, severity) && reaches(audience, project_id),
  );
  if (type === 'scan.completed' && audience.minSeverity && severe.length === 0) return undefined;
  const { created_at: _, ...scan } = row;
  const countOf = (regressed: boolean) => {
    const counted = counts.filter(
      (count) => count.regressed === regressed && isSevere(audience, count.severity),
    );
    // The worst findings of a scan with very many are not among those that are counted.
    const listed = severe.filter((finding) => finding.regressed === regressed).length;
    return Math.max(
      listed,
      counted.reduce((sum, { n }) => sum + n, 0),
    );
  };
  return {
    scan: { ...toResource(scan), url: `${contents.base}/scans/${encodeURIComponent(row.id)}` },
    new: countOf(false),
    regressed: countOf(true),
    findings: severe.map((finding) => ({
      ...shownFinding(contents, finding),
      status: finding.status,
      regressed: finding.regressed,
    })),
  };
}

const entryData = ({ type, subject }: StoredEvent, { entries }: Contents, audience: Audience) =>
  auditData(type, entries.get(subject ?? ''), audience);
