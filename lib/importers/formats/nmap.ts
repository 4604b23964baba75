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
} from '../kinds/issues.ts';
import { elementAt, elements, requiredText, text } from '../read/schema.ts';
import { severityOfScore } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

const Port = z.looseObject({ '@_portid': requiredText, '@_protocol': text, state: z.unknown().optional() });

const Service = z.object({
  '@_name': text,
  '@_product': text,
  '@_version': text,
  '@_extrainfo': text,
  '@_tunnel': text,
});

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
    const { '@_exit': exit, '@_errormsg': problem } = Finished.parse(elementAt(stats, 'finished') ?? {});
    if (exit === 'error') context.error(`Nmap failed: ${problem ?? 'no reason given'}`);
    // Nmap writes the end of the report when it is interrupted, but without statistics.
    if (!stats) context.error('The scan is not complete: the report has no runstats');
    return resultsOf(
      'nmap',
      elements(root, 'host').flatMap((host, index) => issuesOf(host, index, context)),
      context,
    );
  },
};

const Finished = z.object({ '@_exit': text, '@_errormsg': text });
const Address = z.object({ '@_addr': text, '@_addrtype': text });
const Named = z.object({ '@_name': text, '@_type': text });

function issuesOf(host: Record<string, unknown>, index: number, context: ImportContext): Issue[] {
  const addresses = elements(host, 'address').map((address) => Address.parse(address));
  const ip = addresses.find(({ '@_addrtype': type }) => type !== 'mac')?.['@_addr'] ?? '';
  const names = elements(elementAt(host, 'hostnames'), 'hostname').map((name) => Named.parse(name));
  // The name that the user asked for. The name from DNS may change.
  const name = names.find(({ '@_type': type }) => type === 'user')?.['@_name'];
  const target: Target = {
    host: name ?? ip,
    ip: name ? ip : undefined,
    names: names
      .map((one) => one['@_name'])
      .filter((one) => one && one !== name)
      .join(', '),
  };
  const ports = readList(Port, elements(elementAt(host, 'ports'), 'port'), `host.${index}.ports`, context);
  const onPorts = ports.flatMap((port) => {
    const state = StateOf.parse(elementAt(port, 'state') ?? {})['@_state'];
    return state === 'open' ? portIssues(port, target) : [];
  });
  const scripts = elements(elementAt(host, 'hostscript'), 'script');
  return [...onPorts, ...scripts.flatMap((script) => scriptIssues(script, target))];
}

const StateOf = z.object({ '@_state': text });

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
  const software = [service['@_product'], service['@_version'], service['@_extrainfo']]
    .filter(Boolean)
    .join(' ');
  const here = { ...target, port: number, protocol, service: software };
  const open: Issue = {
    identity: ['open port', ...placeOf(here)],
    title: `Open port ${number}/${protocol ?? 'tcp'}${service['@_name'] ? ` (${service['@_name']})` : ''} on ${target.host}`,
    severity: 'info',
    facts: { ...factsOf(here), Service: [service['@_tunnel'], service['@_name']].filter(Boolean).join(' ') },
    evidence: elements(port, 'script')
      .map((script) => ScriptOf.parse(script))
      .filter(({ '@_id': id }) => id !== 'vulners')
      .map(({ '@_id': id, '@_output': output }) => `${id}: ${output?.trim()}`)
      .join('\n'),
  };
  return [open, ...elements(port, 'script').flatMap((script) => scriptIssues(script, here))];
}

const ScriptOf = z.object({ '@_id': text, '@_output': text });

const placeOf = ({ host, port, protocol }: Target) => [hostIdentity(host), port, protocol];

const factsOf = ({ host, ip, names, port, protocol, service }: Target) => ({
  Host: host,
  IP: ip,
  'Other names': names,
  Port: port && `${port}/${protocol ?? 'tcp'}`,
  Software: service,
});

function scriptIssues(script: Record<string, unknown>, target: Target): Issue[] {
  const { '@_id': id = '', '@_output': output } = ScriptOf.parse(script);
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
      severity: known ? severityOfScore(known) : 'medium',
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
      severity: /^LIKELY/.test(state) ? 'medium' : 'high',
      what: escapeMarkdown(textsOf('description').join('\n')),
      facts: { ...factsOf(target), Script: script, State: state },
      evidence: output,
      references: textsOf('refs'),
      cves: cvesIn(key, ...textsOf('ids')),
    },
  ];
}
