import { type Client, type Schemas, ServiceError } from '../../lib/client/index.ts';
import { withRetries } from '../../lib/client/retry.ts';
import { fitToLimits } from '../../lib/importers/clean.ts';
import { type Finding, SEVERITIES } from '../../lib/importers/finding.ts';
import { formatLocation } from '../../lib/importers/text/markdown.ts';
import { createAgentClient } from '../delivery/client.ts';
import { UsageError } from '../errors.ts';
import { table } from '../output.ts';
import { type ReportContent, shorten } from '../scanner/reports.ts';
import { projectReference } from '../settings.ts';
import { reasonFor } from '../summary/gate.ts';
import { countAtLeast } from '../summary/tally.ts';
import { oneLine, quantity } from '../text.ts';
import { requireConnection, requireProject, type Session } from './common.ts';
import { describeScan } from './deliver.ts';
import { EXIT, type ScanFlags } from './options.ts';

type Preview = Schemas['ReportPreview'];

/** The service reads as many. */
const MAX_FINDINGS = 100_000;

/** Prints what reports would change, as the service sees it. Nothing is stored. @returns the exit code */
export async function explain(content: ReportContent, session: Session, flags: ScanFlags): Promise<number> {
  const { output } = session;
  const client = createAgentClient(await requireConnection(session));
  const project = projectReference(requireProject(session.settings));
  const { commit, describe } = await describeScan(session, flags);
  const { target, sources = [] } = describe(content);
  await requirePreviews(client, project);
  const findings = await findingsOf(content);
  const isEmpty = findings.length + sources.length === 0;
  const query = {
    ...project,
    ...{ preview: true, persona: flags.persona, fail_on: flags.failOnNew, commit, sources },
    // An empty list is the report that names no scanner.
    ...(!isEmpty && { format: 'generic-json' }),
    ...{ target_type: target.type, target_path: target.path, target_url: target.url, target_ref: target.ref },
    ...{ base_ref: target.base_ref, default_ref: target.default_ref, category: target.category },
  };
  const preview = await ask(client, query, isEmpty ? '[]' : JSON.stringify({ findings }));
  const isIncomplete = content.errors.length > 0;
  // Findings that an incomplete report leaves out are not gone.
  const shown = isIncomplete ? { ...preview, gone: 0, would_close: 0, closing: [] } : preview;
  if (flags.json) output.json(shown);
  else if (!flags.quiet) print(shown, session, target.ref);
  const counts = SEVERITIES.map((severity) => preview.counts[severity] ?? 0);
  const isFailing =
    countAtLeast(flags.failOn, counts) > 0 || (flags.failOnNew !== undefined && preview.gate.total > 0);
  if (isFailing) return EXIT.failOn;
  return isIncomplete && !flags.allowScannerErrors ? EXIT.scanner : EXIT.ok;
}

/** The findings as the service reads them. Their descriptions change nothing. */
async function findingsOf({ findings }: ReportContent): Promise<object[]> {
  const all: object[] = [];
  for await (const batch of findings.batches()) {
    for (const finding of batch) all.push(sentOf(fitToLimits(finding)));
    if (all.length > MAX_FINDINGS)
      throw new UsageError(`--explain takes reports with at most ${MAX_FINDINGS} findings.`);
  }
  return all;
}

const sentOf = ({ fingerprint, previous_fingerprints, title, severity, file, line, source }: Finding) => ({
  ...{ fingerprint, previous_fingerprints, title, severity, description: title, file, line, source },
});

/**
 * An older service would ignore the parameter `preview` and import the report, but it refuses a report that nobody can read.
 * @throws UsageError if the service is older
 */
async function requirePreviews(client: Client, project: ReturnType<typeof projectReference>): Promise<void> {
  try {
    await ask(client, { ...project, preview: 'unknown' }, '-');
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    if (error.details.some(({ field }) => field === 'preview')) return;
  }
  throw new UsageError('The service is older and has no previews: use --dry-run.');
}

async function ask(client: Client, query: object, report: string): Promise<Preview> {
  const request = { params: { query }, body: report, bodySerializer: (body: string) => body };
  const { result } = await withRetries(() => client.post('/agent/reports', request as never));
  const preview = result as unknown as Preview;
  if (
    !Array.isArray(preview?.findings) ||
    !Array.isArray(preview.closing) ||
    !preview.gate ||
    !preview.counts
  )
    throw new UsageError('The service sent no preview.');
  return preview;
}

const MAX_TITLE = 80;

function print(preview: Preview, { output }: Session, ref: string | undefined): void {
  const { findings, closing, gate } = preview;
  const notInBase = reasonFor(gate.base, ref);
  const row = (
    { severity, title, file, line }: (typeof closing)[number] | (typeof findings)[number],
    why: string,
  ) => [...[severity, shorten(oneLine(title), MAX_TITLE), formatLocation(file, line) ?? '', why]];
  const rows = [
    ...findings.map((one) =>
      row(
        one,
        [whyKnown(one), one.fails_gate ? `would fail the gate: ${notInBase}` : ''].filter(Boolean).join(', '),
      ),
    ),
    ...closing.map((one) => row(one, 'would close: not in the report')),
  ];
  if (rows.length > 0) output.result(table(rows, { left: true }));
  const more = preview.new + preview.again - findings.length;
  if (more > 0) output.result(`${quantity(more, 'more finding')} of the report`);
  if (preview.would_close > closing.length)
    output.result(`${quantity(preview.would_close - closing.length, 'more finding')} would close`);
  output.result(
    [
      `${preview.new} new, ${preview.again} seen again, ${preview.regressed} regressed, ${preview.gone} gone, `,
      `${preview.would_close} would close, ${gate.total} would fail the gate (${gate.fail_on}). Nothing was stored.`,
    ].join(''),
  );
}

function whyKnown({ outcome, matched_by, moved_from, status }: Preview['findings'][number]): string {
  if (outcome === 'new') return status === 'open' ? 'new' : `new (${status} by a rule)`;
  const from = formatLocation(moved_from?.file, moved_from?.line) ?? 'elsewhere';
  const how = {
    fingerprint: 'same fingerprint',
    previous_fingerprint: 'previous fingerprint',
    moved_code: `moved from ${from}`,
  }[matched_by ?? 'fingerprint'];
  return `${outcome === 'regressed' ? 'regressed' : 'seen again'} (${how}), ${status}`;
}
