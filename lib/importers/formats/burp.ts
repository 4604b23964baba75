import { z } from 'zod';
import { type ImportContext, type Importer, open, type Report, readList } from '../importer.ts';
import { addressIdentity, cvesIn, type Issue, resultsOf, shownAddress } from '../kinds/issues.ts';
import { documentOf, hasKind, hasRoot, rootOf } from '../read/report.ts';
import { fields, list, object, objects, requiredText, text } from '../read/schema.ts';
import { elementAt, elements, isObject, property } from '../read/values.ts';
import { cweOf, severityOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { htmlLines, htmlMarkdown, linksIn } from '../text/html.ts';
import { inlineCode, joined } from '../text/markdown.ts';

const Message = z.object({ '#text': text, '@_base64': text, '@_method': text });

/** An issue of the XML that Burp Suite exports. */
const XmlIssue = z.object({
  ...fields(text, 'type', 'host', 'path', 'location', 'severity', 'confidence', 'issueBackground'),
  ...fields(text, 'remediationBackground', 'issueDetail', 'remediationDetail', 'references'),
  vulnerabilityClassifications: text,
  name: requiredText,
  requestresponse: objects({ request: list(z.union([Message, z.string()])) }),
});

const Segments = objects({ data: text, data_html: text, highlight_html: text });

/** An issue of the REST API of Burp Suite, or of the GraphQL API of Burp Suite DAST (`issue_type`, `…_html`). */
const JsonIssue = z.object({
  ...fields(text, 'name', 'type_index', 'origin', 'path', 'caption', 'severity', 'confidence', 'description'),
  ...fields(text, 'issue_background', 'remediation', 'remediation_background', 'description_html'),
  remediation_html: text,
  issue_type: object({
    ...fields(text, 'name', 'type_index', 'description_html', 'remediation_html'),
    ...fields(text, 'vulnerability_classifications_html', 'references_html'),
  }),
  evidence: objects({ request_response: object({ request: Segments }), request_segments: Segments }),
});

/** Burp Suite, Burp Suite DAST (formerly Enterprise) and Dastardly. */
export const burp: Importer = {
  name: 'burp',
  about: {
    tool: '[Burp Suite](https://portswigger.net/burp) Professional and DAST, Dastardly',
    command:
      '*Target > Site map > Issues > Report issues > XML*; the scan of the REST or GraphQL API as JSON; Dastardly’s JUnit XML',
    versions:
      'XML of 1.6, 2020.12 and 2021.4; answers of the REST and GraphQL APIs and of Dastardly name no version',
    identity: 'issue type, host, path, names of the query parameters, insertion point',
  },

  detects: (report) =>
    (hasRoot(report, 'issues') && rootOf(report, 'issues')['@_burpVersion'] !== undefined) ||
    (hasRoot(report, 'testsuites') &&
      /^Dastardly\b/.test(String(rootOf(report, 'testsuites')['@_name'] ?? ''))) ||
    isRest(documentOf(report)) ||
    isGraphql(documentOf(report)),

  results: (report, context) =>
    resultsOf(
      'burp',
      open(
        issuesOf(report, context),
        ({ severity }) => /^false[ _]positive$/i.test(severity ?? '') && 'they are marked as false positives',
        context,
      ).map(toIssue),
      context,
    ),
};

const isRest = (document: unknown) => hasKind(document, { issue_events: 'list', scan_status: 'value' });

function isGraphql(document: unknown): boolean {
  const issues = property(document, 'Issues');
  if (!Array.isArray(issues) || !isObject(document) || Object.keys(document).length !== 1) return false;
  return issues.length === 0 || isObject(property(issues[0], 'issue_type'));
}

function issuesOf(report: Report, context: ImportContext): Found[] {
  if (report.kind !== 'xml') return jsonIssues(documentOf(report), context);
  if (report.root === 'testsuites') return dastardlyIssues(report);
  const found = readList(XmlIssue, elements(rootOf(report, 'issues'), 'issue'), 'issues', context);
  return found.map(({ requestresponse, ...issue }) => ({
    ...issue,
    texts: [issue.issueDetail, issue.issueBackground],
    fixes: [issue.remediationDetail, issue.remediationBackground],
    classifications: issue.vulnerabilityClassifications,
    requests: requestresponse.flatMap(({ request }) =>
      request.map((message) =>
        typeof message === 'string'
          ? message
          : message['@_base64'] === 'true'
            ? decodeBase64(message['#text'] ?? '')
            : (message['#text'] ?? ''),
      ),
    ),
  }));
}

function jsonIssues(document: unknown, context: ImportContext): Found[] {
  const events = property(document, 'issue_events');
  const status = property(document, 'scan_status');
  if (typeof status === 'string' && status !== 'succeeded')
    context.error(`The scan is not complete: ${status}${asDetail(property(document, 'message'))}`);
  const isEvents = Array.isArray(events);
  const issues = isEvents ? events.map((event) => property(event, 'issue')) : property(document, 'Issues');
  return readList(JsonIssue, issues, isEvents ? 'issue_events' : 'Issues', context).map((issue) => ({
    type: issue.type_index ?? issue.issue_type?.type_index,
    name: issue.name ?? issue.issue_type?.name ?? 'Unnamed issue',
    host: issue.origin,
    path: issue.path,
    location: issue.caption,
    severity: issue.severity,
    confidence: issue.confidence,
    texts: [
      issue.description ?? issue.description_html,
      issue.issue_background ?? issue.issue_type?.description_html,
    ],
    fixes: [
      issue.remediation ?? issue.remediation_html,
      issue.remediation_background ?? issue.issue_type?.remediation_html,
    ],
    classifications: issue.issue_type?.vulnerability_classifications_html,
    references: issue.issue_type?.references_html,
    requests: issue.evidence.flatMap(({ request_response: pair, request_segments: segments }) => [
      (pair?.request ?? []).map(({ data }) => decodeBase64(data ?? '')).join(''),
      htmlLines(
        segments
          .map((part) => part.data_html ?? part.highlight_html ?? '')
          .join('')
          .replace(/\n/g, '<br>'),
      ),
    ]),
  }));
}

const asDetail = (message: unknown) => (typeof message === 'string' && message ? ` (${message})` : '');

const decodeBase64 = (text: string): string =>
  Buffer.from(text.slice(0, MAX_ENCODED), 'base64').toString('latin1');

/** More of a request is not shown. */
const MAX_ENCODED = 8_000;

/** The fields that all layouts share. Texts are HTML. */
interface Found {
  type?: string | undefined;
  name: string;
  host?: string | undefined;
  path?: string | undefined;
  /** The path, and the insertion point in brackets. */
  location?: string | undefined;
  severity?: string | undefined;
  confidence?: string | undefined;
  texts: (string | undefined)[];
  fixes: (string | undefined)[];
  classifications?: string | undefined;
  references?: string | undefined;
  requests: string[];
}

/** Extensions share one type. */
const EXTENSION_TYPE = '134217728';

function toIssue({ type, name, host = '', path = '', location, requests, ...found }: Found): Issue {
  const address = `${host}${path}`;
  const [, point = location !== path && !location?.startsWith('/') ? location : undefined] =
    /\[([^\]]{1,300})\]\s*$/.exec(location?.slice(-400) ?? '') ?? [];
  const page = shownAddress(address);
  const [detail, background] = found.texts;
  return {
    identity: [!type || type === EXTENSION_TYPE ? name : type, addressIdentity(address), point],
    title: `${name}${page && ` (${page}${point ? `, ${point}` : ''})`}`,
    rule_id: !type || type === EXTENSION_TYPE ? name : type,
    severity: severityOf(found.severity),
    what: joined([htmlMarkdown(detail && maskCredentials(detail)), htmlMarkdown(background)], '\n\n'),
    facts: { Type: type, Confidence: found.confidence },
    places: page ? [`${inlineCode(page)}${point ? `, ${inlineCode(point)}` : ''}`] : [],
    evidence: requests.find(Boolean),
    fix: joined(found.fixes.map(htmlMarkdown), '\n\n'),
    references: [...linksIn(found.references), ...linksIn(found.classifications)],
    cwe: cweOf(/CWE-\d+/.exec(found.classifications ?? '')?.[0]),
    cves: cvesIn(name, found.references, found.texts[0]),
  };
}

/** Dastardly writes JUnit XML with the issue as text under headings. */
function dastardlyIssues(report: Report): Found[] {
  const cases = elements(rootOf(report, 'testsuites'), 'testsuite').flatMap((suite) =>
    elements(suite, 'testcase'),
  );
  return cases.flatMap((test) => {
    const failure = elementAt(test, 'failure');
    if (!failure) return [];
    const body = String(failure['#text'] ?? '');
    const section = (title: string) => {
      const after = body.split(`\n${title}\n`)[1];
      return after
        ?.split(
          /\n(?:Issue (?:Detail|Background|Remediation)|Remediation Detail|Evidence|References|Vulnerability Classifications|Request|Response)\n/,
        )[0]
        ?.trim();
    };
    const line = (name: string) => new RegExp(`^${name}: (.{1,2000})$`, 'm').exec(body)?.[1];
    return {
      name: String(test['@_name'] ?? 'Unnamed issue'),
      host: line('Host'),
      path: line('Path'),
      location: INSERTION_POINT.exec(section('Issue Detail') ?? '')?.[0],
      severity: String(failure['@_type'] ?? line('Severity') ?? ''),
      confidence: line('Confidence'),
      texts: [section('Issue Detail'), section('Issue Background')],
      fixes: [section('Remediation Detail'), section('Issue Remediation')],
      classifications: section('Vulnerability Classifications'),
      references: section('References'),
      requests: [section('Request') ?? ''],
    };
  });
}

/** The input that the text names: `The value of the q request parameter`. */
const INSERTION_POINT =
  /(?<=\bThe (?:value of the )?)[\w.$-]{1,100} (?:request |URL |JSON )?(?:parameter|cookie|header)\b/i;
