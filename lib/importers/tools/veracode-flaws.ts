import type { Severity } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import type { ImportContext } from '../importer.ts';
import type { CodeFinding } from '../kinds/code.ts';
import { cweOf, relativePath } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { inlineCode } from '../text/markdown.ts';

/** The severities 0 to 5. */
const SEVERITIES: readonly Severity[] = ['info', 'info', 'low', 'medium', 'high', 'critical'];

export const severityOfLevel = (level: number | undefined): Severity =>
  SEVERITIES[Math.round(level ?? 0)] ?? 'info';

/** A flaw of static or dynamic analysis. */
export interface Flaw {
  /** The application, in which the number of a flaw is unique. */
  application?: string | undefined;
  issue?: string | undefined;
  name: string;
  severity?: number | undefined;
  cwe?: string | number | undefined;
  /** Markdown. */
  what: string;
  fix?: string | undefined;
  directory?: string | undefined;
  file?: string | undefined;
  line?: number | undefined;
  url?: string | undefined;
  facts: Record<string, string | number | undefined>;
}

export function flawFinding(flaw: Flaw, context: ImportContext): CodeFinding {
  const { application, issue, name, url } = flaw;
  const path = flaw.directory && flaw.file ? `${flaw.directory.replace(/\/$/, '')}/${flaw.file}` : flaw.file;
  return {
    title: name,
    severity: severityOfLevel(flaw.severity),
    identity: [application, name, url],
    identify: issue ? () => fingerprintOf('veracode', application, issue) : undefined,
    rule: [name],
    file: relativePath(path, context),
    line: flaw.line,
    describe: {
      what: flaw.what,
      facts: { ...flaw.facts, Flaw: issue },
      where: url ? `- ${inlineCode(maskCredentials(url))}` : undefined,
      fix: flaw.fix,
    },
    cwe: cweOf(flaw.cwe),
  };
}
