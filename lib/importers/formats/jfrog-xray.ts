import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readList,
} from '../importer.ts';
import { upgrade, vulnerabilityResult } from '../kinds/dependency.ts';
import { documentOf, firstDocument } from '../read/report.ts';
import {
  anything,
  fields,
  list,
  number,
  object,
  objects,
  requiredText,
  text,
  texts,
} from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { type Cvss, cvssOf, severityOf, severityOfScore } from '../support.ts';
import { codeBlock, sanitizeMarkdown } from '../text/markdown.ts';

/** A CVE of an issue of JFrog Xray. */
const Cve = z.object({
  ...fields(text, 'cve', 'cvss_v3', 'cvss_v3_vector', 'cvss_v2', 'cvss_v2_vector'),
  cwe: texts,
  cvss_v3_score: number,
  cvss_v2_score: number,
});

/** The parts of a component's id, such as `rpm://8:libX11:0:1.6.8`, `deb://debian:stretch:libx11:2:1.6.4`, `alpine://3.18:ssl:1.1`, `npm://ip:2.0.0`, `lib-1.0.jar` */
function componentOf(id: string): { type?: string; name: string; version?: string | undefined } {
  const [, type, rest = id] = /^([a-z]+):\/\/(.*)$/is.exec(id) ?? [];
  // Longer ids are no coordinates. They would also be slow to match.
  if (rest.length > MAX_ID) return { ...(type && { type }), name: rest };
  const named = (match: RegExpExecArray | null) =>
    match?.[1] ? { ...(type && { type }), name: match[1], version: match[2] } : undefined;
  return (
    (type === 'rpm' && named(/^(?:[^:]*:)?([^:]+):(\d+:[^:]+)$/.exec(rest))) ||
    (type === 'deb' && named(/^[^:]+:[^:]+:([^:]+):(.+)$/.exec(rest))) ||
    (/^(?:alpine:\/\/)?v?\d+\.\d+:/.test(id) && named(/^v?[\d.]+:([^:]+):(.+)$/.exec(rest))) ||
    named(/^(.{1,300}):([^:/]{0,300}\d[^:/]{0,300})$/.exec(rest)) ||
    named(/^([^/]{1,300}?)-(\d{1,300}\.[\w.-]{0,300}?)\.\w{1,300}$/.exec(rest)) || {
      ...(type && { type }),
      name: rest,
    }
  );
}

const MAX_ID = 300;
const MAX_PLACES = 50;

/** The highest score of several CVEs. */
function bestCvss(cves: z.output<typeof Cve>[]): Partial<Cvss> | undefined {
  const scored = cves.map((one): Partial<Cvss> => {
    const cvss =
      cvssOf(one.cvss_v3_vector) ?? cvssOf(one.cvss_v3) ?? cvssOf(one.cvss_v2_vector) ?? cvssOf(one.cvss_v2);
    const leading = Number.parseFloat(one.cvss_v3 ?? one.cvss_v2 ?? '');
    const score =
      one.cvss_v3_score ??
      cvss?.score ??
      one.cvss_v2_score ??
      (Number.isFinite(leading) ? leading : undefined);
    return { score, vector: cvss?.vector };
  });
  return scored.sort((a, b) => (b.score ?? -1) - (a.score ?? -1))[0];
}

const Issue = z.object({
  ...fields(text, 'issue_id', 'issue_type', 'severity', 'summary', 'description', 'provider'),
  applicability_result: text,
  cves: list(Cve),
  references: texts,
  extended_information: object({ full_description: text, remediation: text, jfrog_research_severity: text }),
});

/** A row of a vulnerabilities report. */
const Row = Issue.extend({
  vulnerable_component: requiredText,
  impacted_artifact: text,
  path: text,
  fixed_versions: texts,
});

/** An issue of an artifact summary. */
const ArtifactIssue = Issue.extend({
  impact_path: texts,
  components: objects({ component_id: text, fixed_versions: texts }),
});

const Artifact = z.object({
  general: object({ name: text, component_id: text, path: text }),
  issues: anything,
});

const Component = object({
  fixed_versions: texts,
  impact_paths: list(objects({ component_id: text, full_path: text })),
});

/** A vulnerability of an on-demand scan. */
const ScannedIssue = Issue.extend({ components: z.record(z.string(), Component) });

/** A vulnerability of a component in the older API. */
const ComponentIssue = Issue.extend({
  ...fields(text, 'component', 'source_comp_id', 'source_id'),
  component_versions: object({
    id: text,
    fixed_versions: texts,
    more_details: object({ cves: list(Cve), description: text }),
  }),
});

type Issue = z.output<typeof Issue>;

/** JFrog Xray: the exports and API answers, and `jf scan`. */
export const jfrogXray: Importer = {
  name: 'jfrog-xray',
  about: {
    tool: '[JFrog Xray](https://jfrog.com/xray/)',
    command:
      'a vulnerabilities report exported as JSON, the artifact summary of the API, or an on-demand scan: `jf scan --format json . > report.json`',
    versions: 'the report names no version: reports of 2020 to 2025, API v1 and v2',
    identity: 'artifact, component, issue',
  },

  detects: (report) => layoutOf(report) !== undefined,

  results(report, context) {
    const layout = layoutOf(report);
    if (!layout) throw new ReportError('The report is not of JFrog Xray');
    return layout(report, context);
  },
};

type Layout = (report: Report, context: ImportContext) => Result[];

function layoutOf(report: Report): Layout | undefined {
  const document = documentOf(report);
  if (Array.isArray(document)) {
    const [first] = document;
    return isObject(first) && 'component_id' in first && ('vulnerabilities' in first || 'scan_id' in first)
      ? fromScans
      : undefined;
  }
  if (!isObject(document)) return undefined;
  if ('total_rows' in document && Array.isArray(document.rows)) return fromRows;
  if (Array.isArray(document.artifacts) && isSummary(document.artifacts)) return fromArtifacts;
  if ('total_count' in document && Array.isArray(document.data)) {
    const [first] = document.data;
    return first === undefined || (isObject(first) && 'source_comp_id' in first) ? fromComponents : undefined;
  }
  return undefined;
}

const isSummary = ([first]: unknown[]) =>
  isObject(first) && isObject(first.general) && Array.isArray(first.issues);

const fromRows: Layout = (report, context) => {
  const document = firstDocument(report);
  const rows = readList(Row, document?.rows, 'rows', context);
  const { data: total = 0 } = number.safeParse(document?.total_rows);
  if (total > rows.length) context.error(`The report has only ${rows.length} of ${total} rows`);
  return rows.map((row) =>
    toResult(row, {
      entries: [row],
      artifact: row.impacted_artifact,
      components: [row.vulnerable_component],
      fixed: row.fixed_versions,
      places: row.path ? [row.path] : [],
    }),
  );
};

const fromArtifacts: Layout = (report, context) =>
  readList(Artifact, firstDocument(report)?.artifacts, 'artifacts', context).flatMap((found, index) =>
    readList(ArtifactIssue, found.issues, `artifacts.${index}.issues`, context).map((issue) => {
      const named = issue.components.flatMap(({ component_id: id }) => id ?? []);
      // The path ends with the component: `image/layer.tar.gz/3.12:openssl:1.1.1k-r0`.
      const last = issue.impact_path.map((path) => path.split('/').at(-1) ?? '');
      const { general } = found;
      return toResult(issue, {
        entries: [found, issue],
        artifact: general?.component_id ?? general?.name,
        components: named.length > 0 ? named : [...new Set(last)],
        fixed: issue.components.flatMap(({ fixed_versions: fixed }) => fixed),
        places: issue.impact_path,
      });
    }),
  );

const fromScans: Layout = (report, context) => {
  const scans = documentOf(report);
  return [scans].flat().flatMap((scan, index) => {
    const status = property(scan, 'status');
    const artifact = property(scan, 'component_id');
    if (typeof status === 'string' && status !== 'completed')
      context.error(`The scan of ${String(artifact)} is not completed: ${status}`);
    for (const kind of ['licenses', 'violations'])
      context.skip(`JFrog Xray lists ${kind} apart`, [property(scan, kind) ?? []].flat().length);
    const path = `${index}.vulnerabilities`;
    return readList(ScannedIssue, property(scan, 'vulnerabilities'), path, context).flatMap((issue) =>
      Object.entries(issue.components).map(([id, component]) =>
        toResult(issue, {
          entries: [scan, issue],
          artifact: typeof artifact === 'string' ? artifact : undefined,
          components: [id],
          fixed: component?.fixed_versions ?? [],
          places: (component?.impact_paths ?? []).map((steps) =>
            steps.map((step) => step.full_path ?? step.component_id).join(' > '),
          ),
        }),
      ),
    );
  });
};

const fromComponents: Layout = (report, context) =>
  readList(ComponentIssue, firstDocument(report)?.data, 'data', context).map((issue) => {
    const { source_comp_id: id, source_id: source, component, component_versions: versions } = issue;
    const cves = versions?.more_details?.cves ?? [];
    return toResult(
      { ...issue, cves, description: versions?.more_details?.description ?? issue.description },
      {
        entries: [issue],
        artifact: undefined,
        components: [id ?? source ?? component ?? ''],
        fixed: versions?.fixed_versions ?? [],
        places: [],
      },
    );
  });

interface Place {
  entries: readonly unknown[];
  artifact: string | undefined;
  /** Ids of components: `npm://ip:2.0.0`. */
  components: string[];
  fixed: string[];
  places: string[];
}

function toResult(issue: Issue, { entries, artifact, components, fixed, places }: Place): Result {
  const { issue_id: issueId, cves, summary, description, extended_information: extended } = issue;
  const parsed = components.map(componentOf);
  const [first] = parsed;
  const cve = cves.find((one) => one.cve)?.cve;
  const cvss = bestCvss(cves);
  const name = [...new Set(parsed.map((one) => one.name))].slice(0, 5).join(', ') || undefined;
  return vulnerabilityResult({
    tool: 'jfrog-xray',
    entries,
    identity: [
      artifact && componentOf(artifact).name,
      ...parsed.map(({ type, name }) => `${type ?? ''} ${name}`).sort(),
    ],
    id: issueId || cve || (summary ?? 'Issue'),
    shown: cves.length === 1 ? cve : undefined,
    aliases: [...cves.map((one) => one.cve), issueId],
    name,
    version: parsed.length === 1 ? first?.version : undefined,
    summary,
    severity: severityOf(issue.severity, severityOfScore(cvss?.score)),
    cvss,
    cwes: cves.flatMap(({ cwe }) => cwe),
    description: {
      what: sanitizeMarkdown(description || summary || ''),
      facts: {
        'Package type': first?.type,
        Artifact: artifact,
        'Kind of issue': issue.issue_type === 'security' ? undefined : issue.issue_type,
        Applicability: issue.applicability_result,
        'JFrog research severity': extended?.jfrog_research_severity,
      },
      where: places.length > 0 ? codeBlock(places.slice(0, MAX_PLACES).join('\n')) : undefined,
      fix:
        sanitizeMarkdown(extended?.remediation ?? '') ||
        upgrade(
          first?.name,
          fixed.map((version) => version.slice(0, MAX_ID).replace(/^[[(≥>=\s]+|(?<![\])\s])[\])\s]+$/g, '')),
        ),
      details: sanitizeMarkdown(extended?.full_description ?? ''),
      references: issue.references,
    },
  });
}
