import { formatLocation, inlineCode } from '../../lib/importers/text/markdown.ts';
import { firstMessages, shorten, skippedCount } from '../scanner/reports.ts';
import { oneLine, quantity } from '../text.ts';
import type { FailingFinding } from './gate.ts';
import { gateOf, type ScanResult, summaryRows } from './result.ts';
import { type ListedFinding, sum } from './tally.ts';

const MAX_TEXT = 200;

/** Text from reports and servers as code, in which Markdown, HTML, links and mentions have no effect. */
const code = (text: string) => inlineCode(shorten(oneLine(text).trim(), MAX_TEXT) || ' ');

const heading = (name: string | undefined) => `## Security findings${name ? `: ${code(name)}` : ''}`;

const bullets = (title: string, items: readonly string[]) =>
  items.length === 0 ? [] : [`**${title}**`, items.map((item) => `- ${item}`).join('\n')];

/** The summary of a scan in Markdown, of limited size. @param url the page of the scan */
export function formatSummary(
  result: ScanResult,
  { name, url }: { name?: string | undefined; url?: string | undefined },
): string {
  const { outcome, content } = result;
  const { tally, pending, refused } = outcome;
  const [titles = [], ...rows] = summaryRows(result);
  const skipped = skippedCount(content);
  const gate = gateOf(result);
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return blocks([
    heading(name),
    content.errors.length > 0 && '⚠️ **The scanner reported errors. The findings are incomplete.**',
    [row(titles), row(['---', ...titles.slice(1).map(() => '---:')]), ...rows.map(row)].join('\n'),
    ...bullets('Not allowed by `--fail-on-new`', gate ? failing(gate.findings, gate.total) : []),
    ...bullets('New', listed(tally.listed.fresh, sum(tally.fresh))),
    ...bullets('Regressed', listed(tally.listed.regressed, sum(tally.regressed))),
    ...bullets('Errors', firstMessages(content.errors).map(code)),
    ...bullets('Warnings', firstMessages(content.warnings).map(code)),
    skipped > 0 && `${quantity(skipped, 'result')} of the report skipped.`,
    pending > 0 && `${quantity(pending, 'finding')} not delivered.`,
    refused > 0 && `${quantity(refused, 'finding')} refused by the service.`,
    url !== undefined && `[Open the scan](<${new URL(url).href}>)`,
  ]);
}

/** The most severe findings as list items. @param count of all findings */
const listed = (findings: readonly ListedFinding[], count: number): string[] =>
  andMore(findings.map(item), count);

/** The findings that fail the gate, with the reasons. @param count of all */
const failing = (findings: readonly FailingFinding[], count: number): string[] =>
  andMore(
    findings.map((finding) => `${item(finding)}: ${code(finding.reason)}`),
    count,
  );

function item({
  severity,
  title,
  file,
  line,
}: Pick<ListedFinding, 'severity' | 'title' | 'file' | 'line'>): string {
  const location = formatLocation(file, line);
  return `${severity}: ${code(title)}${location ? ` in ${code(location)}` : ''}`;
}

const andMore = (items: string[], count: number): string[] =>
  count > items.length ? [...items, `${count - items.length} more`] : items;

/** The summary of a scanner that wrote no report. */
export const formatFailure = (error: Error, { name }: { name?: string | undefined }): string =>
  blocks([heading(name), '❌ **The scanner failed and has no results.**', code(error.message)]);

const blocks = (parts: readonly (string | false)[]): string =>
  `${parts.filter((part) => part !== false).join('\n\n')}\n\n`;
