import type { z } from 'zod';
import type { Finding } from './finding.ts';

/** A report that is none, or is broken: what is wrong, and where. */
export class ReportError extends Error {
  /** Inside the report, such as `runs.0.results.3.message` or `line 7`. */
  readonly place: string | undefined;

  constructor(message: string, place?: string) {
    super(place === undefined ? message : `${message} at ${place}`);
    this.name = 'ReportError';
    this.place = place;
  }
}

/** What a report's text holds, parsed. */
export type Report =
  /** One JSON document, or several behind one another (a stream, JSON lines). */
  | { kind: 'json'; documents: unknown[] }
  /** Elements are objects, attributes begin with `@_`, text is `#text`; every element is in an array. */
  | { kind: 'xml'; root: string; document: unknown };

export interface ImportContext {
  /** Absolute path that files are made relative to. */
  workspace: string;
}

/** Turns the reports of one tool, or of one format, into findings. */
export interface Importer {
  /** As `--format` names it, and the default `source` of its findings. */
  name: string;
  /** The tool writes nothing at all when it has found nothing. */
  emptyMeansNothing?: boolean;
  /** Whether a report looks like one of its own; cheap, and never throws. */
  detects(report: Report): boolean;
  /**
   * The findings of a report, in its order. Fingerprints need not be distinct yet, and texts need not fit the
   * service's limits: `importReport` sees to both.
   * @throws ReportError
   */
  findings(report: Report, context: ImportContext): Finding[];
}

/** Reads a part of a report by its schema. @throws ReportError with the place of the first thing that is wrong */
export function read<S extends z.ZodType>(schema: S, value: unknown, place = ''): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = [place, ...(issue?.path ?? [])].filter((part) => part !== '').join('.');
  throw new ReportError(issue?.message ?? 'not a report', at === '' ? undefined : at);
}
