import type { Severity } from '../finding.ts';
import type { ImportContext } from '../importer.ts';
import { formatService, hostIdentity, type Issue } from '../kinds/issues.ts';
import { LEVELS } from '../support.ts';
import { htmlLines, htmlMarkdown, linksIn } from '../text/html.ts';
import { joined } from '../text/markdown.ts';

/** A detection, whatever the layout of the report. */
export interface Found {
  qid: string;
  title?: string | undefined;
  host: string;
  ip?: string | undefined;
  system?: string | undefined;
  port?: string | undefined;
  protocol?: string | undefined;
  service?: string | undefined;
  instance?: string | undefined;
  category?: string | undefined;
  severity: Severity;
  threat?: string | undefined;
  impact?: string | undefined;
  solution?: string | undefined;
  result?: string | undefined;
  status?: string | undefined;
  kind?: string | undefined;
  cves: string[];
  cvss?: Issue['cvss'];
  references: string[];
}

export function toIssue({ qid, title = `QID ${qid}`, host, ...found }: Found): Issue {
  const port = /^\d+$/.test(found.port ?? '') && found.port !== '0' ? found.port : undefined;
  const protocol = port && found.protocol ? found.protocol.toLowerCase() : undefined;
  const stated = (text: string | undefined) => (/^n\/?a$/i.test(text?.trim() ?? '') ? undefined : text);
  return {
    identity: [qid, hostIdentity(host), port, protocol, found.instance?.trim() || undefined],
    title: `${title} (${formatService(host, port, protocol)})`,
    severity: found.severity,
    what: joined(
      [found.threat, found.impact].map((part) => htmlMarkdown(stated(part))),
      '\n\n',
    ),
    facts: {
      QID: qid,
      Category: found.category,
      Host: host,
      IP: found.ip === host ? undefined : found.ip,
      'Operating system': found.system,
      Port: port && joined([port, protocol], '/'),
      Service: found.service,
      Instance: found.instance,
      Detection: found.kind,
      Status: found.status,
    },
    evidence: /<br>|<p>/i.test(found.result ?? '') ? htmlLines(found.result) : found.result,
    fix: htmlMarkdown(stated(found.solution)),
    references: [...found.references, ...linksIn(found.solution)],
    cves: found.cves,
    cvss: found.cvss,
  };
}

/** Counts detections that are fixed. */
export function isFixed(status: string | undefined, context: ImportContext): boolean {
  const fixed = /^fixed$/i.test(status?.trim() ?? '');
  if (fixed) context.skip('they are fixed');
  return fixed;
}

export const levelOf = (level: string | undefined): Severity => LEVELS[Number(level) - 1] ?? 'medium';

/** `8.1 (AV:N/…)` */
export const scoreOf = (value: string | undefined) => {
  const [found] = /^\d{1,2}(?:\.\d+)?/.exec(value ?? '') ?? [];
  return found ? Number(found) : undefined;
};
