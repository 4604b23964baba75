import { z } from 'zod';
import { type ImportContext, type Importer, type Report, readList } from '../importer.ts';
import { hasRoot, jsonOf, resultsOf, rootOf } from '../kinds/issues.ts';
import { elements, isObject, list, optional, property, requiredText, text } from '../read/schema.ts';
import { htmlLines } from '../text/html.ts';
import { dastardlyIssues } from '../tools/burp-dastardly.ts';
import { type Found, toIssue } from '../tools/burp-issue.ts';

const Message = z.object({ '#text': text, '@_base64': text, '@_method': text });

/** An issue of the XML that Burp Suite exports. */
const XmlIssue = z.object({
  type: text,
  name: requiredText,
  host: text,
  path: text,
  location: text,
  severity: text,
  confidence: text,
  issueBackground: text,
  remediationBackground: text,
  issueDetail: text,
  remediationDetail: text,
  references: text,
  vulnerabilityClassifications: text,
  requestresponse: list(z.object({ request: list(z.union([Message, z.string()])) })),
});

const Segments = list(z.object({ data: text, data_html: text, highlight_html: text }));

/** An issue of the REST API of Burp Suite, or of the GraphQL API of Burp Suite DAST (`issue_type`, `…_html`). */
const JsonIssue = z.object({
  name: text,
  type_index: text,
  issue_type: optional(
    z.object({
      name: text,
      type_index: text,
      description_html: text,
      remediation_html: text,
      vulnerability_classifications_html: text,
      references_html: text,
    }),
  ),
  origin: text,
  path: text,
  caption: text,
  severity: text,
  confidence: text,
  description: text,
  issue_background: text,
  remediation: text,
  remediation_background: text,
  description_html: text,
  remediation_html: text,
  evidence: list(
    z.object({ request_response: optional(z.object({ request: Segments })), request_segments: Segments }),
  ),
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
    severity: '`severity`',
  },

  detects: (report) =>
    (hasRoot(report, 'issues') && rootOf(report, 'issues')['@_burpVersion'] !== undefined) ||
    (hasRoot(report, 'testsuites') &&
      /^Dastardly\b/.test(String(rootOf(report, 'testsuites')['@_name'] ?? ''))) ||
    isRest(jsonOf(report)) ||
    isGraphql(jsonOf(report)),

  results: (report, context) =>
    resultsOf(
      'burp',
      issuesOf(report, context).flatMap((found) => {
        const isFalse = /^false[ _]positive$/i.test(found.severity ?? '');
        if (isFalse) context.skip('they are marked as false positives');
        return isFalse ? [] : [toIssue(found)];
      }),
      context,
    ),
};

const isRest = (document: unknown) =>
  Array.isArray(property(document, 'issue_events')) && property(document, 'scan_status') !== undefined;

function isGraphql(document: unknown): boolean {
  const issues = property(document, 'Issues');
  if (!Array.isArray(issues) || !isObject(document) || Object.keys(document).length !== 1) return false;
  return issues.length === 0 || isObject(property(issues[0], 'issue_type'));
}

function issuesOf(report: Report, context: ImportContext): Found[] {
  if (report.kind !== 'xml') return jsonIssues(jsonOf(report), context);
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
