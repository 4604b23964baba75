import { z } from 'zod';
import { type ImportContext, type Importer, type Report, ReportError, readList } from '../importer.ts';
import {
  addressIdentity,
  cvesIn,
  hostIdentity,
  type Issue,
  resultsOf,
  shownAddress,
} from '../kinds/issues.ts';
import { documentsOf, hasKind, hasRoot, rootOf } from '../read/report.ts';
import { fields, requiredText, text } from '../read/schema.ts';
import { elements, property } from '../read/values.ts';
import { maskCredentials } from '../text/credentials.ts';
import { linksIn } from '../text/html.ts';
import { escapeMarkdown, firstSentence, inlineCode } from '../text/markdown.ts';

const XmlItem = z.object({
  '@_id': requiredText,
  ...fields(text, '@_method', '@_osvdbid', 'uri', 'references'),
  description: requiredText,
});

const XmlHost = z.object(
  fields(text, '@_targethostname', '@_targetip', '@_targetport', '@_sitename', '@_errors'),
);

const JsonItem = z.object({
  id: requiredText,
  ...fields(text, 'method', 'OSVDB', 'url', 'references'),
  msg: requiredText,
});
const JsonHost = z.object({ host: text, ip: text, port: text });

/** XML and JSON of Nikto. */
export const nikto: Importer = {
  name: 'nikto',
  about: {
    tool: '[Nikto](https://github.com/sullo/nikto)',
    command: '`nikto -h https://… -Format json -o report.json` (or `xml`)',
    versions: '2.1.5 and 2.1.6, XML; JSON names no version',
    identity: 'test, host and port, method, path, message without the contents it quotes',
    severity: 'medium with an OSVDB id, info otherwise: Nikto rates nothing',
  },

  detects: (report) =>
    hasRoot(report, 'niktoscan') ||
    hasKind(hostsOf(report)[0], { vulnerabilities: 'list', host: 'value', port: 'value', banner: 'value' }),

  results: (report, context) =>
    resultsOf(
      'nikto',
      distinguished(report.kind === 'xml' ? xmlIssues(report, context) : jsonIssues(report, context)),
      context,
    ),
};

const hostsOf = (report: Report): unknown[] => documentsOf(report).flat();

function xmlIssues(report: Report, context: ImportContext): NiktoIssue[] {
  const root = rootOf(report, 'niktoscan');
  // Some versions repeat the root element.
  const scans = [root, ...elements(root, 'niktoscan')];
  return scans
    .flatMap((scan) => elements(scan, 'scandetails'))
    .flatMap((element, index) => {
      const host = XmlHost.parse(element);
      if (Number(host['@_errors']) > 0)
        context.warn(`Nikto had ${host['@_errors']} errors at ${shownAddress(host['@_sitename'])}`);
      const items = readList(XmlItem, elements(element, 'item'), `scandetails.${index}`, context);
      return items.map((item) =>
        toIssue({
          id: item['@_id'],
          method: item['@_method'],
          osvdb: item['@_osvdbid'],
          message: item.description,
          path: item.uri,
          references: item.references,
          host: host['@_targethostname'] || host['@_targetip'] || '',
          port: host['@_targetport'],
          isTls: host['@_sitename']?.startsWith('https:'),
        }),
      );
    });
}

function jsonIssues(report: Report, context: ImportContext): NiktoIssue[] {
  const hosts = hostsOf(report);
  if (hosts.length > 0 && !hosts.some((host) => Array.isArray(property(host, 'vulnerabilities'))))
    throw new ReportError('expected the hosts of a Nikto report');
  return hosts.flatMap((element, index) => {
    const host = JsonHost.parse(typeof element === 'object' && element ? element : {});
    const items = readList(
      JsonItem,
      property(element, 'vulnerabilities'),
      `${index}.vulnerabilities`,
      context,
    );
    return items.map((item) =>
      toIssue({
        id: item.id,
        method: item.method,
        osvdb: item.OSVDB,
        message: item.msg,
        path: item.url,
        references: item.references,
        host: host.host || host.ip || '',
        port: host.port,
        isTls: host.port === '443',
      }),
    );
  });
}

interface NiktoIssue extends Issue {
  /** The message without what the server sent. */
  message: string;
}

/** Issues that differ in numbers only are different if a report has both. */
function distinguished(issues: readonly NiktoIssue[]): Issue[] {
  const messages = new Map<string, Set<string>>();
  for (const { identity, message } of issues) {
    const key = JSON.stringify(identity);
    messages.set(key, (messages.get(key) ?? new Set()).add(message));
  }
  return issues.map((issue) => {
    const isOnly = messages.get(JSON.stringify(issue.identity))?.size === 1;
    return isOnly ? issue : { ...issue, identity: [...issue.identity, issue.message] };
  });
}

interface Found {
  id: string;
  method: string | undefined;
  osvdb: string | undefined;
  message: string;
  path: string | undefined;
  references: string | undefined;
  host: string;
  port: string | undefined;
  isTls: boolean | undefined;
}

function toIssue({
  id,
  method,
  osvdb,
  message: found,
  path = '/',
  host,
  port,
  isTls,
  references,
}: Found): NiktoIssue {
  const origin = `${isTls ? 'https' : 'http'}://${host}${port ? `:${port}` : ''}`;
  // Newer versions begin the message with the path.
  const plain = found.startsWith(`${path}:`) ? found.slice(path.length + 1).trim() : found;
  const message = removeContents(plain);
  const page = shownAddress(`${origin}${path}`);
  const hasOsvdb = Boolean(osvdb && osvdb !== '0');
  return {
    identity: [
      id,
      hostIdentity(host),
      port,
      method,
      addressIdentity(removeNonce(path)),
      removeNumbers(message).slice(0, 300),
    ],
    message,
    title: `${firstSentence(maskCredentials(plain))} (${page})`,
    rule_id: id,
    severity: hasOsvdb ? 'medium' : 'info',
    what: escapeMarkdown(maskCredentials(plain)),
    facts: { Test: id, OSVDB: hasOsvdb ? osvdb : undefined },
    places: [inlineCode(`${method ?? 'GET'} ${page}`)],
    references: [...linksIn(references), ...linksIn(found)],
    cves: cvesIn(found, references),
  };
}

/** Removes the names of files that Nikto makes up to provoke an error: `/tldH5dDP.php`. */
const removeNonce = (path: string) =>
  path.replace(/\/(?=[a-zA-Z]*\d)(?=[a-z\d]*[A-Z])[a-zA-Z\d]{8}(?:\.\w{0,5})?$/, '/*');

/** Removes what the server sent, which differs with each request. */
const removeContents = (message: string) =>
  message.replace(/(with contents:|Retrieved [\w .-]{1,60} header:|contents?:).*$/is, '$1');

/** Removes versions, sizes and dates, which change while the problem stays. */
const removeNumbers = (message: string) => message.replace(/\d+/g, '0');
