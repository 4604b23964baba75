import type { Severity } from '../finding.ts';
import { addressIdentity, formatService, hostIdentity, type Issue, shownAddress } from '../kinds/issues.ts';
import { escapeMarkdown, joined } from '../text/markdown.ts';

/** A result of a plugin, whatever the layout of the report. */
export interface Plugin {
  plugin: string;
  name: string;
  family?: string | undefined;
  host: string;
  address?: string | undefined;
  port?: string | undefined;
  protocol?: string | undefined;
  service?: string | undefined;
  severity: Severity;
  synopsis?: string | undefined;
  description?: string | undefined;
  solution?: string | undefined;
  output?: string | undefined;
  references: string[];
  cves: string[];
  cwe?: string | undefined;
  cvss?: Issue['cvss'];
}

export function issueOf({
  plugin,
  name,
  host,
  port,
  protocol,
  output,
  description,
  synopsis,
  ...rest
}: Plugin): Issue {
  // Web App Scanning names the page and the input in its text.
  const [, page] = /\b(?:on|at) URL '([^'\s]+)'/.exec(output ?? '') ?? [];
  const [, kind, element] = /'([\w -]{1,30})' element named '([^'\n]{1,200})'/.exec(output ?? '') ?? [];
  const service = formatService(host, port, protocol);
  return {
    identity: [
      plugin,
      hostIdentity(host),
      port === '0' ? undefined : port,
      protocol?.toLowerCase(),
      page && addressIdentity(page),
      kind,
      element,
    ],
    title: `${name} (${page ? shownAddress(page) : service})`,
    severity: rest.severity,
    what: escapeMarkdown(
      [synopsis, description]
        .map((part) => unwrap(part))
        .filter((part, i, all) => part && all.indexOf(part) === i)
        .join('\n\n'),
    ),
    facts: {
      Plugin: plugin,
      Family: rest.family,
      Host: host,
      IP: rest.address === host ? undefined : rest.address,
      Port: port === '0' ? undefined : joined([port, protocol?.toLowerCase()], '/'),
      Service: rest.service,
      Element: kind && `${kind} ${element}`,
    },
    evidence: output,
    fix: /^n\/?a$/i.test(rest.solution?.trim() ?? '') ? undefined : escapeMarkdown(unwrap(rest.solution)),
    references: [
      ...rest.references,
      /^\d+$/.test(plugin) ? `https://www.tenable.com/plugins/nessus/${plugin}` : undefined,
    ],
    cwe: rest.cwe,
    cves: rest.cves,
    cvss: rest.cvss,
  };
}

/** Joins the lines of a paragraph, which Nessus wraps at 70 characters. */
const unwrap = (text: string | undefined) =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/(?<=[^\n:.])\n(?=[a-z(0-9])/g, ' ')
    .trim();
