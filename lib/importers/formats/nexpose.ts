import { z } from 'zod';
import { type Importer, readList } from '../importer.ts';
import { cvesIn, formatService, hostIdentity, type Issue, resultsOf, statedCvss } from '../kinds/issues.ts';
import { hasRoot, rootOf } from '../read/report.ts';
import { number, requiredText, text, textAt } from '../read/schema.ts';
import { elementAt, elements, isObject } from '../read/values.ts';
import { cweOf, severityOfScore } from '../support.ts';
import { escapeMarkdown, joined } from '../text/markdown.ts';

const Test = z.looseObject({ '@_id': requiredText, '@_key': text, '@_status': text });

const Definition = z.looseObject({
  '@_id': requiredText,
  '@_title': text,
  '@_severity': number,
  '@_cvssScore': number,
  '@_cvssVector': text,
});
type Definition = z.output<typeof Definition>;

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
    for (const scan of elements(root, 'scans', 'scan')) {
      const [name, status] = [textAt(scan, '@_name') ?? 'A scan', textAt(scan, '@_status')];
      if (status && status !== 'finished') context.error(`${name} is not complete: ${status}`);
    }
    const definitions = elements(root, 'VulnerabilityDefinitions', 'vulnerability');
    const known = new Map(
      readList(Definition, definitions, 'VulnerabilityDefinitions', context).map((one) => [
        one['@_id'].toLowerCase(),
        one,
      ]),
    );
    const failed: string[] = [];
    const issues = elements(root, 'nodes', 'node').flatMap((node, index) => {
      const host = textAt(node, '@_address') ?? '';
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
    if (failed.length > 0) context.error(`Tests that could not run: ${failed.length}, such as ${failed[0]}`);
    return resultsOf('nexpose', issues, context);
  },
};

interface Place {
  port?: string | undefined;
  protocol?: string | undefined;
}

/** The tests of a host and of its services. */
function placesOf(node: Record<string, unknown>): (Place & { tests: unknown[] })[] {
  const services = elements(node, 'endpoints', 'endpoint').flatMap((endpoint) => {
    const [port, protocol] = [textAt(endpoint, '@_port'), textAt(endpoint, '@_protocol')];
    const tests = elements(endpoint, 'services', 'service').flatMap((service) =>
      elements(service, 'tests', 'test'),
    );
    return { port, protocol, tests };
  });
  return [{ tests: elements(node, 'tests', 'test') }, ...services];
}

function toIssue(
  test: z.output<typeof Test>,
  found: Definition | undefined,
  host: string,
  { port, protocol }: Place,
): Issue {
  const [id, key] = [test['@_id'].toLowerCase(), test['@_key'] || undefined];
  const references = elements(found, 'references', 'reference').map((one) => Reference.parse(one));
  const score = found?.['@_severity'];
  return {
    identity: [id, key, hostIdentity(host), port, protocol?.toLowerCase()],
    title: `${found?.['@_title'] ?? id} (${formatService(host, port, protocol)})`,
    rule_id: id,
    severity: severityOfScore(score, 'medium'),
    what: escapeMarkdown(textOf(elementAt(found, 'description'))),
    facts: {
      Test: id,
      Key: key,
      Host: host,
      Port: port && joined([port, protocol], '/'),
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
  if (Array.isArray(element)) return joined(element.map(textOf), '\n');
  if (!isObject(element)) return '';
  return joined(
    Object.entries(element)
      .filter(([name]) => !name.startsWith('@_'))
      .map(([, value]) => textOf(value)),
    '\n',
  );
}
