import { findKnown, type KnownFinding } from '../../db/findings/ingest/known.ts';
import type { Push } from '../../db/findings/ingest/push.ts';
import type { NewId } from '../../db/ids.ts';
import { decideAll, type Policies, readPolicies } from '../../db/policies/policies.ts';
import { toResource } from '../../db/resources.ts';
import { MAX_GATE_FINDINGS } from '../../db/scans/gate.ts';
import {
  countGoneByPlan,
  findClosingByPlan,
  type Plan,
  planScan,
  readGateOfPlan,
} from '../../db/scans/preview.ts';
import { MAX_SCAN_SOURCES } from '../../db/scans/scans.ts';
import { type FindingStatus, SEVERITIES } from '../../db/schema/values.ts';
import { ApiError } from '../errors.ts';
import { MAX_CLOSED } from '../findings/triage/close-missing.ts';
import { isValidPush } from '../findings/valid-push.ts';
import { firstMessages } from '../importers/text/messages.ts';
import { failingSeverities, toGate } from '../scans/gate.ts';
import type { z } from '../schema.ts';
import { endingOf, openSent, type ReceivedReport, shownError, sourcesOf, targetOf } from './import.ts';
import type { PushContext, Tally } from './push.ts';
import type { OpenReport, ReportReader } from './reader.ts';
import { MAX_CLOSING, MAX_PREVIEWED, type ReportPreview, type ReportQuery } from './schema.ts';

interface PreviewCall extends Pick<PushContext, 'db' | 'org' | 'sql'> {
  now: Date;
  services: { nextId: () => NewId; reports: ReportReader };
}

type Preview = z.output<typeof ReportPreview>;
type PreviewedFinding = Preview['findings'][number];

/**
 * Tells what the import of a report would change. It reads the report and finds its findings as an import does, and only reads the
 * database.
 * @throws ApiError `invalid_body` if the report cannot be read
 */
export async function previewReport(
  call: PreviewCall,
  projectId: string,
  query: ReportQuery,
  sent: ReceivedReport,
): Promise<Preview> {
  const { db, now, org, services, sql } = call;
  const { tables } = org;
  let report: OpenReport | undefined;
  try {
    report = await openSent(call, sent, query.format);
    const plan = await planScan(sql, tables, {
      ...{ scanId: services.nextId().id, projectId, persona: query.persona, commit: query.commit, now },
      target: targetOf({ ...query, category: query.category || report.category }),
    });
    if (!plan) throw new ApiError('resource_error/not_found');
    const pushes = await readPushes(call, plan, report);
    const { findings, again } = pushes;
    const { status, errorMessage, isComplete } = endingOf(report, pushes);
    const sources = new Set([...pushes.sources, ...sourcesOf(query, report)]);
    const reported = {
      known: findings.flatMap(({ isKnown, id }) => (isKnown ? id : [])),
      sources: [...sources].sort().slice(0, MAX_SCAN_SOURCES),
      total: findings.length,
    };
    const severities = failingSeverities(query.fail_on);
    const counted = findings.filter(({ status }) => status !== 'false_positive' && status !== 'wontfix');
    const gated = counted.filter(({ severity }) => severities.includes(severity));
    const [gone, closing, gate] = await Promise.all([
      isComplete ? countGoneByPlan(db, tables, plan, reported) : 0,
      isComplete ? findClosingByPlan(sql, tables, plan, reported, MAX_CLOSING) : NOTHING,
      readGateOfPlan(
        ...([sql, tables, plan] as const),
        {
          ...reported,
          findings: gated.map(({ id, severity, status, source = null }) => ({
            id,
            severity,
            status,
            source,
          })),
        },
        { severities, limit: MAX_PREVIEWED },
      ),
    ]);
    const failing = new Set(gate.findings.map(({ id }) => id));
    const listed = new Map(findings.map((finding) => [finding.id, finding]));
    return {
      ...{ format: report.format, warnings: firstMessages(report.warnings), status },
      ...(errorMessage !== null && { error_message: errorMessage }),
      ...{ new: pushes.new, again, regressed: pushes.regressed, gone },
      would_close: Math.min(closing.total, MAX_CLOSED),
      counts: Object.fromEntries(
        SEVERITIES.map((severity) => [severity, counted.filter((one) => one.severity === severity).length]),
      ),
      gate: {
        ...toGate(query.fail_on, { ...gate, findings: [] }),
        findings: gate.findings.slice(0, MAX_GATE_FINDINGS).map(({ id }) => {
          const { title, severity, status, source, file, line, isKnown } = listed.get(id) as Planned;
          return { ...(isKnown && { id }), title, severity, status, source, file, line };
        }),
      },
      findings: mostImportant(findings, failing).map(({ isKnown, id, ...finding }) => ({
        ...(isKnown && { id }),
        ...finding,
        fails_gate: failing.has(id),
      })),
      closing: closing.findings.map(toResource) as Preview['closing'],
    };
  } catch (error) {
    throw shownError(error);
  } finally {
    report?.close();
  }
}

const NOTHING = { total: 0, findings: [] };

/** A finding after its push. A new one has the id that it could get. */
interface Planned extends Omit<PreviewedFinding, 'fails_gate' | 'id'> {
  id: string;
  isKnown: boolean;
}

interface Pushes extends Tally {
  /** Each finding once. */
  findings: Planned[];
  /** The sources of the findings. */
  sources: Set<string>;
}

/** Finds the findings of a report, in its order, as pushes do. */
async function readPushes(call: PreviewCall, plan: Plan, report: OpenReport): Promise<Pushes> {
  const { now, org, services, sql } = call;
  const policies = await policiesOf(call, plan);
  const found = new Map<string, Planned>();
  const sources = new Set<string>();
  const tally: Tally = { new: 0, again: 0, regressed: 0, failed: 0 };
  /** The findings that earlier pushes of the report would write, by fingerprint. Undefined: they would rename it. */
  const changed = new Map<string, KnownFinding | undefined>();
  /** Results repeat titles and paths. */
  const texts = new Map<string, string>();
  const kept = <Text extends string | undefined>(text: Text): Text => {
    if (text !== undefined && !texts.has(text)) texts.set(text, text);
    return text && (texts.get(text) as Text);
  };
  /** Whether a push may be for a finding that has a previous fingerprint of it. Two findings of a scan never become one. */
  const mayBe = (known: KnownFinding | undefined) =>
    known !== undefined && (plan.tracked || known.proposed === true || !found.has(known.id));
  for (;;) {
    const chunk = await report.next();
    if (chunk.length === 0) break;
    const pushes = chunk
      .map((finding) => ({ ...finding, scan_id: plan.scanId, project_id: plan.projectId }))
      .filter(isValidPush);
    tally.failed += chunk.length - pushes.length;
    const prints = pushes.flatMap((push) => [push.fingerprint, ...(push.previous_fingerprints ?? [])]);
    const stored = new Map(
      (await findKnown(sql, org.tables, plan.projectId, [...new Set(prints)])).map((one) => [
        one.fingerprint,
        one,
      ]),
    );
    const decided = await decideAll(policies, pushes, () => now, { sql, tables: org.tables });
    const knownBy = (print: string) => (changed.has(print) ? changed.get(print) : stored.get(print));
    for (const [i, push] of pushes.entries()) {
      const { fingerprint, previous_fingerprints = [] } = push;
      const previous = knownBy(fingerprint)
        ? undefined
        : previous_fingerprints.find((print) => mayBe(knownBy(print)));
      const known = knownBy(previous ?? fingerprint);
      // It keeps its fingerprint (`renameFindings`).
      const isKept = previous !== undefined && !plan.tracked && !known?.proposed;
      const after = afterPush(push, known, {
        ...{ newId: services.nextId().id, first: decided[i]?.first_status, tracked: plan.tracked },
      });
      if (previous !== undefined) changed.set(previous, isKept ? after : undefined);
      if (!isKept) changed.set(fingerprint, after);
      sources.add(after.source ?? '');
      tally[known ? 'again' : 'new']++;
      if (after.regressed) tally.regressed++;
      const { id, status } = after;
      // A report may have a finding twice.
      const isKnown = known !== undefined && found.get(id)?.isKnown !== false;
      found.set(id, {
        ...{ id, isKnown, status },
        ...{ title: kept(push.title), severity: push.severity, source: kept(after.source ?? undefined) },
        ...{ file: kept(after.file ?? undefined), line: after.line ?? undefined },
        ...outcomeOf(after, isKnown ? known : undefined, previous !== undefined),
      });
    }
  }
  return { findings: [...found.values()], sources, ...tally };
}

/** Rules may have a condition on the persona, which the scan does not have in the database. */
async function policiesOf({ org, sql }: PreviewCall, { scanId, persona }: Plan): Promise<Policies> {
  const policies = await readPolicies(sql, org);
  return policies.personas ? { ...policies, personas: async () => new Map([[scanId, persona]]) } : policies;
}

/** The finding after a push. */
function afterPush(
  { fingerprint, source, file, line }: Push,
  known: KnownFinding | undefined,
  { newId, first, tracked }: { newId: string; first: FindingStatus | undefined; tracked: boolean },
): KnownFinding {
  const isFixed = known?.status === 'fixed' || known?.status === 'verified';
  return {
    ...{ id: known?.id ?? newId, fingerprint, status: known?.status ?? first ?? 'open' },
    proposed: (known === undefined || known.proposed === true) && !tracked,
    regressed: known !== undefined && (known.regressed || (isFixed && tracked)),
    source: source ?? known?.source ?? null,
    file: file ?? known?.file ?? null,
    line: line ?? known?.line ?? null,
  };
}

function outcomeOf(
  after: KnownFinding,
  known: KnownFinding | undefined,
  isRenamed: boolean,
): Pick<PreviewedFinding, 'outcome' | 'matched_by' | 'moved_from'> {
  if (!known) return { outcome: 'new' };
  const hasMoved = known.file !== after.file || (!isRenamed && known.line !== after.line);
  const { file, line } = known;
  return {
    outcome: after.regressed ? 'regressed' : 'again',
    matched_by: hasMoved ? 'moved_code' : isRenamed ? 'previous_fingerprint' : 'fingerprint',
    ...(hasMoved && { moved_from: toResource({ file, line }) }),
  };
}

/** The findings that fail the gate, then the most severe ones. */
function mostImportant(findings: readonly Planned[], failing: ReadonlySet<string>): Planned[] {
  const rank = ({ id, severity }: Planned) =>
    SEVERITIES.indexOf(severity) + (failing.has(id) ? 0 : SEVERITIES.length);
  return findings.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_PREVIEWED);
}
