import type { Severity } from '../../../lib/importers/finding.ts';

/** Texts of files by path. */
export type Files = Record<string, string>;

export interface Place {
  severity: Severity;
  file: string;
  line?: number;
}

/** A finding, as the service shows it. */
export interface Found extends Place {
  title: RegExp;
}

/** How a scanner is called. `{osv}` is the address of a service with advisories, see advisories.ts. */
export interface Call {
  args: readonly string[];
  /** The file that the scanner writes. Default: its stdout. */
  report?: string;
}

/** A call that fails. */
export interface Failure extends Partial<Call> {
  /** The part that fails. */
  of: string;
  /** Files besides those of the code. */
  files?: Files;
  /** Number of findings that are reported in spite of the failure. Default: 0. */
  findings?: number;
  /** The error message of the scan. */
  message: RegExp;
}

/** Code that a scanner checks in part, as it says in a warning. */
export interface Remark {
  of: string;
  files: Files;
  message: RegExp;
}

/** A real scanner, and code with problems that it finds. */
export interface RealScanner extends Call {
  program: string;
  /** Other programs that the scanner needs. */
  needs?: readonly string[];
  env?: Record<string, string>;
  code: Files;
  found: readonly Found[];
  /** The code without problems. */
  clean: Files;
  /** The code after the first problem is fixed and another one of the same rule is added, in a similar place. */
  edited: Files;
  added: Found;
  /** Other formats, such as SARIF, and the places that they report. Default: the same. */
  others?: readonly (Call & { name: string; places?: readonly Place[] })[];
  remarks?: readonly Remark[];
  failures: readonly Failure[];
}

/** Nothing listens there. */
export const NOWHERE = 'http://127.0.0.1:9';
