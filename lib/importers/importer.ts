import type { z } from 'zod';
import type { Finding } from './finding.ts';

/** A report is invalid or its format is not supported. */
export class ReportError extends Error {
  /** The position of the error, such as `runs.0.results.3.message` or `line 7`. */
  readonly location: string | undefined;

  constructor(message: string, location?: string) {
    super(location === undefined ? message : `${message} at ${location}`);
    this.name = 'ReportError';
    this.location = location;
  }
}

export type Report =
  /** One JSON document, or several in a row (a stream or JSON lines). */
  | { kind: 'json'; documents: unknown[] }
  /** Elements are objects in arrays, attribute names start with `@_`, and text is `#text`. */
  | { kind: 'xml'; root: string; document: unknown };

export interface ImportContext {
  /** Absolute path of the directory that the paths of findings are relative to. */
  workspace: string;
}

/** Converts the reports of one tool or format into findings. */
export interface Importer {
  /** The value of `--format` and the default `source` of the findings. */
  name: string;
  /** Set if the tool writes an empty report when it finds nothing. */
  acceptsEmptyReport?: boolean;
  /** Whether a report has this format. Must be fast and must not throw. */
  detects(report: Report): boolean;
  /**
   * Converts a report, in its order. Fingerprints may repeat and texts may exceed the limits of the service:
   * `importReport` fixes both.
   * @throws ReportError
   */
  findings(report: Report, context: ImportContext): Finding[];
}

/** Validates a part of a report. @param path its position @throws ReportError with the position of the first error */
export function read<S extends z.ZodType>(schema: S, value: unknown, path = ''): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const location = [path, ...(issue?.path ?? [])].filter((part) => part !== '').join('.');
  throw new ReportError(issue?.message ?? 'not a report', location === '' ? undefined : location);
}
