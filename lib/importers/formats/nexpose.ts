import { z } from 'zod';
import { type ImportContext, type Importer, readList } from '../importer.ts';
import {
  cvesIn,
  formatService,
  hasRoot,
  hostIdentity,
  type Issue,
  resultsOf,
  rootOf,
  statedCvss,
} from '../kinds/issues.ts';
import { elementAt, elements, isObject, number, requiredText, text } from '../read/schema.ts';
import { cweOf, severityOfScore } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

const Test = z.looseObject({ '@_id': requiredText, '@_key': text, '@_status': text });

const Definition = z.looseObject({
  '@_id': requiredText,
  '@_title': text,
  '@_severity': number,
  '@_cvssScore': number,
  '@_cvssVector': text,
});
type Definition = z.output<typeof Definition>;

const Scan = z.object({ '@_name': text, '@_status': text });
const Node = z.object({ '@_address': text });
const Endpoint = z.object({ '@_port': text, '@_protocol': text });
const Reference = z.object({ '@_source': text, '#text': text });

/** XML of Nexpose and InsightVM. */
export const nexpose: Importer = {
  name: 'nexpose',
  about: {
    tool: '[InsightVM](https://www.rapid7.com/products/insightvm/) and Nexpose',
    command: '*Reports > Export > XML Export 2.0*',
    versions: 'XML 1.0 and 2.0. Hosts and open ports are no findings',
    identity: 'test and its key, address, port and protocol',
    severity: '`severity` 1 to 10 as a CVSS score',
  },

  detects: (report) => hasRoot(report, 'NexposeReport'),

  results(report, context) {
    const root = rootOf(report, 'NexposeReport');
    for (const scan of elements(elementAt(root, 'scans'), 'scan')) {
      const { '@_name': name = 'A scan', '@_status': status } = Scan.parse(scan);
      if (status && status !== 'finished') context.error(`${name} is not complete: ${status}`);
    }
    const definitions = elements(elementAt(root, 'VulnerabilityDefinitions'), 'vulnerability');
    const known = new Map(
      readList(Definition, definitions, 'VulnerabilityDefinitions', context).map((one) => [
        one['@_id'].toLowerCase(),
        one,
      ]),
    );
    const failed: string[] = [];
    const issues = elements(elementAt(root, 'nodes'), 'node').flatMap((node, index) => {
      const host = Node.parse(node)['@_address'] ?? '';
      return placesOf(node).flatMap(({ tests, ...place }) =>
        readList(Test, tests, `nodes.${index}.tests`, context).flatMap((test) => {
          const status = test['@_status'] ?? '';
          if (/^exception-/.test(status)) context.skip('they are accepted in InsightVM');
          if (status === 'error' || status === 'unknown')
            failed.push(`${test['@_id']} at ${formatService(host, place.port)}`);
          return /^vulnerable-/.test(status)
            ? [toIssue(test, known.get(test['@_id'].toLowerCase()), host, place)]
            : [];
        }),
      );
    });
    reportFailures(failed, context);
    return resultsOf('nexpose', issues, context);
  },
};

function reportFailures(failed: readonly string[], context: ImportContext) {
  if (failed.length > 0) context.error(`Tests that could not run: ${failed.length}, such as ${failed[0]}`);
}

interface Place {
  port?: string | undefined;
  protocol?: string | undefined;
}

/** The tests of a host and of its services. */
function placesOf(node: Record<string, unknown>): (Place & { tests: unknown[] })[] {
  const services = elements(elementAt(node, 'endpoints'), 'endpoint').flatMap((endpoint) => {
    const { '@_port': port, '@_protocol': protocol } = Endpoint.parse(endpoint);
    const tests = elements(elementAt(endpoint, 'services'), 'service').flatMap((service) =>
      elements(elementAt(service, 'tests'), 'test'),
    );
    return { port, protocol, tests };
  });
  return [{ tests: elements(elementAt(node, 'tests'), 'test') }, ...services];
}

function toIssue(
  test: z.output<typeof Test>,
  found: Definition | undefined,
  host: string,
  { port, protocol }: Place,
): Issue {
  const [id, key] = [test['@_id'].toLowerCase(), test['@_key'] || undefined];
  const references = elements(elementAt(found, 'references'), 'reference').map((one) => Reference.parse(one));
  const score = found?.['@_severity'];
  return {
    identity: [id, key, hostIdentity(host), port, protocol?.toLowerCase()],
    title: `${found?.['@_title'] ?? id} (${formatService(host, port, protocol)})`,
    severity: score === undefined ? 'medium' : severityOfScore(score),
    what: escapeMarkdown(textOf(elementAt(found, 'description'))),
    facts: {
      Test: id,
      Key: key,
      Host: host,
      Port: port && [port, protocol].filter(Boolean).join('/'),
      Status: test['@_status'],
    },
    evidence: textOf(test),
    fix: escapeMarkdown(textOf(elementAt(found, 'solution'))),
    references: references.filter((one) => one['@_source'] === 'URL').map((one) => one['#text']),
    cwe: cweOf(references.find((one) => one['@_source'] === 'CWE')?.['#text']),
    cves: cvesIn(...references.map((one) => one['#text'])),
    cvss: statedCvss(found?.['@_cvssVector'], found?.['@_cvssScore']),
  };
}

/** The text in nested elements, one line per paragraph. The parser does not keep the order of mixed content. */
function textOf(element: unknown): string {
  if (typeof element === 'string') return element.replace(/\s+/g, ' ').trim();
  if (Array.isArray(element)) return element.map(textOf).filter(Boolean).join('\n');
  if (!isObject(element)) return '';
  return Object.entries(element)
    .filter(([name]) => !name.startsWith('@_'))
    .map(([, value]) => textOf(value))
    .filter(Boolean)
    .join('\n');
}
