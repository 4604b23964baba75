import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readRequired,
} from '../importer.ts';
import { upgrade, vulnerabilityResult } from '../kinds/dependency.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, number, object, optional, requiredText, text, texts } from '../read/schema.ts';
import { relativePath, severityOf, severityOfScore } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

const Advisory = z.object({
  ...fields(text, 'id', 'url', 'title', 'description', 'criticality', 'cve', 'ghsa'),
  cvss_v2: number,
  cvss_v3: number,
  patched_versions: texts,
});

const Entry = z.object({
  type: text,
  source: text,
  gem: object({ name: requiredText, version: text }),
  advisory: optional(Advisory),
});

type Entry = z.output<typeof Entry>;

/** `bundle audit`, as JSON or text. */
export const bundlerAudit: Importer = {
  name: 'bundler-audit',
  about: {
    tool: '[bundler-audit](https://github.com/rubysec/bundler-audit)',
    command: '`bundle audit check --format json --output report.json`, or the text output',
    versions: '0.6 to 0.9, text and JSON',
    identity: 'lock file, gem, advisory',
    severity: '`criticality`, or CVSS; medium if the advisory has neither',
  },
  readsText: true,

  detects: (report) =>
    report.kind === 'text'
      ? isOutput(report.text)
      : hasKind(documentOf(report), { results: 'list', created_at: 'text', version: 'text' }),

  results(report, context) {
    const file = relativePath('Gemfile.lock', context);
    return entriesOf(report, context).map((entry) => toResult(entry, file));
  },
};

const isOutput = (output: string) =>
  /^Name: .+\r?\nVersion: .+\r?$|^(?:No v|V)ulnerabilities found!?\s*$/m.test(output);

function entriesOf(report: Report, context: ImportContext): Entry[] {
  if (report.kind === 'text') {
    if (!isOutput(report.text)) throw new ReportError('The report was not written by bundle audit');
    return fromText(report.text);
  }
  return readRequired(Entry, documentOf(report), 'results', context);
}

/** Paragraphs of lines such as `Name: rack`. */
function fromText(report: string): Entry[] {
  return report.split(/\r?\n\s*\r?\n/).flatMap((paragraph): Entry[] => {
    const sources = [...paragraph.matchAll(/^Insecure Source URI found: (.+)$/gm)].map(
      ([, source]): Entry => ({ type: 'insecure_source', source: source?.trim() }),
    );
    const lines = new Map(
      [...paragraph.matchAll(/^([A-Z][A-Za-z]+): *(.*?)\r?$/gm)].map(([, name, value]) => [name, value]),
    );
    const name = lines.get('Name');
    if (!name || !lines.has('Version')) return sources;
    const solution = lines.get('Solution') ?? '';
    const gem = { name, version: lines.get('Version') };
    const advisory = {
      id: lines.get('Advisory') ?? lines.get('CVE') ?? lines.get('GHSA') ?? lines.get('OSVDB'),
      url: lines.get('URL'),
      title: lines.get('Title'),
      criticality: lines.get('Criticality'),
      cve: lines.get('CVE'),
      ghsa: lines.get('GHSA'),
      description: undefined,
      cvss_v2: undefined,
      cvss_v3: undefined,
      patched_versions: /^upgrade to /.test(solution)
        ? solution.replace(/^upgrade to /, '').split(/,\s*/)
        : [],
    };
    return [...sources, { type: 'unpatched_gem', source: undefined, gem, advisory }];
  });
}

function toResult(entry: Entry, file: string | undefined): Result {
  const { source, gem, advisory } = entry;
  if (!gem || !advisory) {
    return vulnerabilityResult({
      tool: 'bundler-audit',
      entries: [entry],
      identity: [],
      id: `Insecure source ${source ?? ''}`.trim(),
      severity: 'medium',
      cwes: ['CWE-319'],
      file,
      description: {
        what: 'Gems are fetched from a source that does not encrypt the connection.',
        facts: { Source: source },
        fix: 'Use a source with `https`.',
      },
    });
  }
  const { id, title, criticality, cvss_v3: cvss3, cvss_v2: cvss2 } = advisory;
  const score = cvss3 ?? cvss2;
  const rating = criticality && !/^unknown$/i.test(criticality) ? criticality : undefined;
  return vulnerabilityResult({
    tool: 'bundler-audit',
    entries: [entry],
    identity: [gem.name],
    id: id ?? title ?? 'Advisory',
    aliases: [advisory.cve?.replace(/^(?=\d)/, 'CVE-'), advisory.ghsa?.replace(/^(?!GHSA-)/, 'GHSA-')],
    name: gem.name,
    version: gem.version,
    summary: title,
    severity: severityOf(rating, severityOfScore(score, 'medium')),
    cvss: { score },
    file,
    description: {
      what: escapeMarkdown(advisory.description ?? title ?? ''),
      facts: {
        'Fixed version': advisory.patched_versions.join(', '),
        Severity: rating ?? (score === undefined ? 'not rated' : undefined),
      },
      fix: upgrade(
        gem.name,
        advisory.patched_versions.map((version) => version.replace(/^'|'$/g, '')),
      ).replace(/, or later\.$/, '.'),
      references: [advisory.url],
    },
  });
}
