import { z } from 'zod';
import { type ImportContext, type Importer, readList } from '../importer.ts';
import { cvesIn, formatService, hostIdentity, type Issue, resultsOf } from '../kinds/issues.ts';
import { hasRoot, rootOf } from '../read/report.ts';
import { anything, fields, requiredText, text, textAt } from '../read/schema.ts';
import { elementAt, elements } from '../read/values.ts';
import { severityOfScore } from '../support.ts';
import { escapeMarkdown, joined } from '../text/markdown.ts';

const Port = z.looseObject({ '@_portid': requiredText, '@_protocol': text, state: anything });

const Service = z.object(fields(text, '@_name', '@_product', '@_version', '@_extrainfo', '@_tunnel'));

/** XML of Nmap, with the vulnerabilities that its scripts report. */
export const nmap: Importer = {
  name: 'nmap',
  about: {
    tool: '[Nmap](https://nmap.org)',
    command: '`nmap -sV --script vulners -oX report.xml host`',
    versions: '6.40 to 7.95, script `vulners`',
    identity: 'host, port and protocol; for vulnerabilities also the script and the advisory',
    severity:
      'open ports: info; `vulners`: CVSS; other scripts: high if the host is vulnerable, medium if it is likely',
  },

  detects: (report) => hasRoot(report, 'nmaprun') && rootOf(report, 'nmaprun')['@_scanner'] !== 'masscan',

  results(report, context) {
    const root = rootOf(report, 'nmaprun');
    const stats = elementAt(root, 'runstats');
    if (textAt(stats, 'finished', '@_exit') === 'error')
      context.error(`Nmap failed: ${textAt(stats, 'finished', '@_errormsg') ?? 'no reason given'}`);
    // Nmap writes the end of the report when it is interrupted, but without statistics.
    if (!stats) context.error('The scan is not complete: the report has no runstats');
    return resultsOf(
      'nmap',
      elements(root, 'host').flatMap((host, index) => issuesOf(host, index, context)),
      context,
    );
  },
};

function issuesOf(host: Record<string, unknown>, index: number, context: ImportContext): Issue[] {
  const addresses = elements(host, 'address').filter((address) => textAt(address, '@_addrtype') !== 'mac');
  const ip = textAt(addresses[0], '@_addr') ?? '';
  const names = elements(host, 'hostnames', 'hostname');
  // The name that the user asked for. The name from DNS may change.
  const name = textAt(
    names.find((one) => textAt(one, '@_type') === 'user'),
    '@_name',
  );
  const target: Target = {
    host: name ?? ip,
    ip: name ? ip : undefined,
    names: names
      .map((one) => textAt(one, '@_name'))
      .filter((one) => one && one !== name)
      .join(', '),
  };
  const ports = readList(Port, elements(host, 'ports', 'port'), `host.${index}.ports`, context);
  const onPorts = ports
    .filter((port) => textAt(port, 'state', '@_state') === 'open')
    .flatMap((port) => portIssues(port, target));
  const scripts = elements(host, 'hostscript', 'script');
  return [...onPorts, ...scripts.flatMap((script) => scriptIssues(script, target))];
}

interface Target {
  host: string;
  ip?: string | undefined;
  names?: string | undefined;
  port?: string | undefined;
  protocol?: string | undefined;
  service?: string | undefined;
}

function portIssues(port: z.output<typeof Port> & Record<string, unknown>, target: Target): Issue[] {
  const service = Service.parse(elementAt(port, 'service') ?? {});
  const [number, protocol] = [port['@_portid'], port['@_protocol']];
  const software = joined([service['@_product'], service['@_version'], service['@_extrainfo']], ' ');
  const here = { ...target, port: number, protocol, service: software };
  const open: Issue = {
    identity: ['open port', ...placeOf(here)],
    title: `Open port ${number}/${protocol ?? 'tcp'}${service['@_name'] ? ` (${service['@_name']})` : ''} on ${target.host}`,
    rule_id: 'open-port',
    severity: 'info',
    facts: { ...factsOf(here), Service: joined([service['@_tunnel'], service['@_name']], ' ') },
    evidence: elements(port, 'script')
      .filter((script) => textAt(script, '@_id') !== 'vulners')
      .map((script) => `${textAt(script, '@_id')}: ${textAt(script, '@_output')?.trim()}`)
      .join('\n'),
  };
  return [open, ...elements(port, 'script').flatMap((script) => scriptIssues(script, here))];
}

const placeOf = ({ host, port, protocol }: Target) => [hostIdentity(host), port, protocol];

const factsOf = ({ host, ip, names, port, protocol, service }: Target) => ({
  Host: host,
  IP: ip,
  'Other names': names,
  Port: port && `${port}/${protocol ?? 'tcp'}`,
  Software: service,
});

function scriptIssues(script: Record<string, unknown>, target: Target): Issue[] {
  const [id, output] = [textAt(script, '@_id') ?? '', textAt(script, '@_output')];
  if (id === 'vulners')
    return elements(script, 'table').flatMap((software) => vulnersIssues(software, target));
  return elements(script, 'table').flatMap((table) => vulnIssue(table, id, output, target));
}

/** The values of a table by their keys. */
const keyed = (table: Record<string, unknown>): Map<string, string> =>
  new Map(
    elements(table, 'elem').map(
      (elem) => [String(elem['@_key'] ?? ''), String(elem['#text'] ?? '')] as const,
    ),
  );

function vulnersIssues(software: Record<string, unknown>, target: Target): Issue[] {
  return elements(software, 'table').flatMap((table) => {
    const values = keyed(table);
    const id = values.get('id');
    if (!id) return [];
    const score = Number(values.get('cvss'));
    const known = Number.isFinite(score) && score > 0 && score <= 10 ? score : undefined;
    const cves = cvesIn(id);
    return {
      identity: ['vulners', id, ...placeOf(target)],
      title: `${id} in ${target.service || 'the service'} (${formatService(target.host, target.port, target.protocol)})`,
      rule_id: id,
      severity: severityOfScore(known || undefined, 'medium'),
      facts: {
        ...factsOf(target),
        CPE: String(software['@_key'] ?? ''),
        Exploit: values.get('is_exploit') === 'true' ? 'published' : undefined,
      },
      references: [`https://vulners.com/${values.get('type') ?? 'cve'}/${id}`],
      cves,
      cvss: known ? { score: known } : undefined,
    } satisfies Issue;
  });
}

/** A vulnerability as Nmap's library `vulns` reports it. */
function vulnIssue(
  table: Record<string, unknown>,
  script: string,
  output: string | undefined,
  target: Target,
): Issue[] {
  const values = keyed(table);
  const state = values.get('state');
  // Scripts report hosts that are not vulnerable on request.
  if (!state || !/\bVULNERABLE\b/.test(state) || /^NOT\b/.test(state)) return [];
  const key = String(table['@_key'] ?? '');
  const lists = new Map(
    elements(table, 'table').map((inner) => [String(inner['@_key'] ?? ''), inner] as const),
  );
  const textsOf = (name: string) =>
    elements(lists.get(name), 'elem').map((elem) => String(elem['#text'] ?? ''));
  return [
    {
      identity: [script, key, ...placeOf(target)],
      title: `${values.get('title') || key} (${formatService(target.host, target.port, target.protocol)})`,
      rule_id: script || key,
      severity: /^LIKELY/.test(state) ? 'medium' : 'high',
      what: escapeMarkdown(textsOf('description').join('\n')),
      facts: { ...factsOf(target), Script: script, State: state },
      evidence: output,
      references: textsOf('refs'),
      cves: cvesIn(key, ...textsOf('ids')),
    },
  ];
}
