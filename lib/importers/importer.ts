import { z } from 'zod';
import type { Finding, Rating } from './finding.ts';
import { readFrom } from './identity/entries.ts';
import { property } from './read/values.ts';
import { ReportError } from './report-error.ts';

export { ReportError };

/** The report exceeds a limit of the number of its results. */
export class TooManyError extends ReportError {}

export const tooManyMembers = (max: number, path: string): TooManyError =>
  new TooManyError(`A list has more than ${max} members. Split the report`, path || undefined);

/** No importer recognizes the report. */
export class UnknownFormatError extends ReportError {}

export type Report =
  /** One JSON document, or several in a row (a stream or JSON lines). */
  | { kind: 'json'; documents: unknown[] }
  /** Elements are objects in arrays, attribute names start with `@_`, and text is `#text`. */
  | { kind: 'xml'; root: string; document: unknown }
  /** One object per line, by the names in the first line. */
  | { kind: 'csv'; columns: string[]; rows: Record<string, string>[] }
  /** Anything else, for importers with `readsText`. */
  | { kind: 'text'; text: string }
  /** A ZIP archive. `read` unpacks a file as text; undefined if there is no such file. It throws a ReportError if the file is too large. */
  | { kind: 'archive'; names: string[]; read(name: string): string | undefined };

/** Where a report was written, and access to the source code that the scanner has seen. */
export interface Workspace {
  /** Absolute path of the directory that the paths in the report are relative to. */
  directory: string;
  /** Prepended to the paths of findings, without slashes at the ends: `packages/api`. */
  pathPrefix?: string | undefined;
  /**
   * The lines of a file; undefined if there is no such file or it cannot be read.
   * @param path relative to the directory, with slashes; starts with `../` if the file is elsewhere in the repository
   */
  linesOf?(path: string): readonly string[] | undefined;
  /**
   * The path of a file that is named by an absolute path outside of the directory, which leads into the repository through
   * symbolic links. Relative to the directory as for `linesOf`; undefined if the path does not lead there.
   */
  resolve?(path: string): string | undefined;
  /** Earlier paths of a file, latest first. Both with the prefix. */
  formerPathsOf?(path: string): readonly string[];
}

/** The context that an importer gets besides the report. */
export interface ImportContext extends Workspace {
  /** Records what the tool itself could not do: it failed, or a file or dependency was not checked. */
  error(message: string): void;
  /** Records a remark of the tool that does not make its result incomplete. */
  warn(message: string): void;
  /** Counts results that are not imported. @param reason completes “3 results were skipped: …” */
  skip(reason: string, count?: number): void;
  /** Set if the report is imported in parts, because it is too large to be read at once. */
  parts?: Parts | undefined;
  /** The most members of a list. Default: unlimited. */
  maxMembers?: number | undefined;
}

/** The state that an importer shares between the parts of a report. `readList`, `createMasker` and some formats use it. */
export interface Parts {
  /** How many members of a list are in earlier parts; undefined if all of them are in this part. */
  offsetOf(path: string): number | undefined;
  /** Counts the members of a list that can be read, and records why others cannot. */
  list(path: string, valid: number, errors: readonly ReportError[]): void;
  /** Records a remark about the sum of a number over all parts. */
  count(describe: (sum: number) => string, count: number): void;
  /** Records a remark about the distinct names in all parts. */
  names(describe: (names: string[]) => string, names: readonly string[]): void;
  /** Groups items that may be in different parts. Groups of several parts are returned after the last part. */
  groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][];
  /** The secrets of all parts at the locations of this part, by file. */
  secrets<Location extends { file: string | undefined; secrets: readonly string[] }>(
    locations: readonly Location[],
  ): Map<string, Location[]>;
}

/**
 * How a large report is split into parts, which are imported one after the other. A path such as `runs.*.results` names a list
 * whose members are independent of each other; an empty path is the document itself. Everything outside of these lists is a
 * part of each part, so it must not contain results.
 */
export interface Split {
  json?: readonly string[];
  /** Lists of a JSON document that results refer to. The function returns what the importer needs of a member, or undefined. */
  reduced?: Readonly<Record<string, (member: unknown) => unknown>>;
  /** Whether JSON documents in a row are independent of each other. */
  documents?: boolean;
  /** The paths of elements, `NessusClientData_v2.Report.ReportHost`, with the position of their list in messages. */
  xml?: Readonly<Record<string, string>>;
  /** Whether the rows of CSV are independent of each other. */
  csv?: boolean;
}

/**
 * Identifies a result in a later report. The file is a parameter, because it may be renamed.
 * @returns a fingerprint ({@link fingerprintOf})
 */
export interface Identify {
  (file: string | undefined): string;
  /**
   * Tells results apart that are equal otherwise, such as two equal statements in a function. It changes more often than the
   * identity.
   */
  neighbours?: () => string;
}

/** A result of a report that becomes a finding. */
export interface Result
  extends Omit<Finding, 'fingerprint' | 'previous_fingerprints' | 'severity' | 'rule_id'> {
  severity: Rating;
  /** As in a finding. Not optional, so that no importer omits it by mistake. It does not identify the result. */
  rule_id: string | undefined;
  /** The place on the line: results that differ in nothing else are different. */
  column?: number | undefined;
  /** A digest of all that the report says about it, except what differs from scan to scan: other digests are other results. */
  raw?: (() => string) | undefined;
  /**
   * Digests of what else the report says about it, the most stable first. They tell results apart that have the same identity and
   * neighbours.
   */
  details?: readonly string[] | undefined;
  identify: Identify;
  /**
   * The entries of the report that it was made from: its own, after those that contain it, whose lists of objects do not count.
   * Results that differ in them only are different.
   */
  entries: readonly unknown[];
  /**
   * Whether results with the same fingerprint are the same problem, such as one vulnerability in two versions of a package.
   * They keep their fingerprints when their number changes.
   */
  repeats?: boolean | undefined;
  /** The identity as release 0.2 computed it, if it was different. Equal results are told apart as they are now. */
  identifyBefore?: Identify | undefined;
  /** The same as earlier releases computed it, if it was different and never identified two problems. */
  identifyFormerly?: Identify | undefined;
  /**
   * The same as earlier releases computed it, if it could identify two problems, of which one may be gone: an equal statement in
   * another function. Used on request only.
   */
  identifyVaguely?: Identify | undefined;
  /** Fingerprints by which the report says that it was known. */
  formerFingerprints?: readonly string[] | undefined;
}

/** The content of a result that a finding shows. */
export type Shown = Omit<
  Result,
  | 'identify'
  | 'identifyBefore'
  | 'identifyFormerly'
  | 'identifyVaguely'
  | 'formerFingerprints'
  | 'entries'
  | 'raw'
> & { raw?: string | undefined };

export function shownOf(result: Result): Shown {
  const {
    identify: _,
    identifyBefore: _b,
    identifyFormerly: _f,
    identifyVaguely: _v,
    formerFingerprints: _k,
    entries: _e,
    raw,
    ...shown
  } = result;
  return { ...shown, raw: raw?.() };
}

/** Converts the reports of one tool or format into findings. */
export interface Importer {
  /** The value of `--format` and the default `source` of the findings. */
  name: string;
  /** For the table in docs/formats.md. */
  about: About;
  /** Set if the tool writes an empty report when it finds nothing. */
  acceptsEmptyReport?: boolean;
  /** Set if the tool writes `null` when it finds nothing. Otherwise it comes from another program that failed, such as jq. */
  acceptsNull?: boolean;
  /** Set if the importer reads text that is neither JSON, XML nor CSV. */
  readsText?: boolean;
  /** Set if large reports can be imported in parts. Others are refused above the limit. */
  split?: Split;
  /** Whether a report has this format. Must be fast and must not throw. No report may have two formats. */
  detects(report: Report): boolean;
  /**
   * The tools that a report names, as the `source` of their findings, also those that found nothing. Set if findings have another
   * source than `name`. Must not throw.
   */
  sources?(report: Report): readonly string[];
  /**
   * Identifies the scanned thing, if a project may have scans of several with this tool: an image, a website, an account. It is
   * the same in each scan of the thing, so it has no time, commit, tag, id of a run or directory of a machine. Undefined if the
   * report does not say. Must not throw.
   */
  category?(report: Report, workspace: Workspace): string | undefined;
  /**
   * Converts a report, in its order. Fingerprints may repeat and texts may exceed the limits of the service:
   * `importReport` fixes both.
   * @throws ReportError if nothing of the report can be read, or its format is too old or not supported
   */
  results(report: Report, context: ImportContext): Result[];
}

/** The row of a format in docs/formats.md. Markdown. */
export interface About {
  /** The tool: `[Bandit](https://bandit.readthedocs.io)`. */
  tool: string;
  /** How to write the report: `bandit -f json -o report.json -r .`, or the steps in words. */
  command: string;
  /** The versions whose reports were tried: `1.6 to 1.9`. */
  versions: string;
  /** The properties that identify a finding: `test, file, flagged line`. */
  identity: string;
  /** Where the severity comes from. Default: the field `severity`. */
  severity?: string;
}

/** Validates a part of a report. @param path its position @throws ReportError with the position of the first error */
export function read<S extends z.ZodType>(schema: S, value: unknown, path = ''): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return readFrom(parsed.data, value);
  throw new ReportError(...locate(parsed.error, path));
}

type ListContext = Pick<ImportContext, 'error' | 'parts' | 'maxMembers'>;

/**
 * Validates the members of a list. Invalid ones are recorded as errors.
 * @param path the position of the list
 * @throws ReportError if the value is not a list, or no member is valid
 */
export function readList<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: string,
  context: ListContext,
): z.output<S>[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ReportError('expected a list', path || undefined);
  const { maxMembers = Infinity } = context;
  if (value.length > maxMembers) throw tooManyMembers(maxMembers, path);
  const valid: z.output<S>[] = [];
  const errors: ReportError[] = [];
  const offset = context.parts?.offsetOf(path);
  value.forEach((member, position) => {
    const index = position + (offset ?? 0);
    const parsed = schema.safeParse(member);
    if (parsed.success) valid.push(readFrom(parsed.data, member));
    else errors.push(new ReportError(...locate(parsed.error, `${path}${path && '.'}${index}`)));
  });
  if (context.parts && offset !== undefined) {
    context.parts.list(path, valid.length, errors);
    return valid;
  }
  const [first] = errors;
  if (first && valid.length === 0) throw first;
  for (const message of unreadable(errors, errors.length)) context.error(message);
  return valid;
}

/** Counts a result that is not imported. @returns no results, for `flatMap` */
export function skipped(reason: string, context: Pick<ImportContext, 'skip'>): [] {
  context.skip(reason);
  return [];
}

/** The members without a reason to skip them. Others are counted by their reason. */
export const open = <Member>(
  members: readonly Member[],
  reasonToSkip: (member: Member) => string | false | undefined,
  context: Pick<ImportContext, 'skip'>,
): Member[] =>
  members.filter((member) => {
    const reason = reasonToSkip(member);
    if (reason) context.skip(reason);
    return !reason;
  });

/** {@link readList} of the list at a path in a document: `result.packages`. A list that is missing is empty. */
export const readAt = <S extends z.ZodType>(
  schema: S,
  document: unknown,
  path: string,
  context: ListContext,
): z.output<S>[] => readList(schema, property(document, ...path.split('.')), path, context);

/** The same for a list that a document must have. @throws ReportError if it is missing */
export function readRequired<S extends z.ZodType>(
  schema: S,
  document: unknown,
  path: string,
  context: ListContext,
): z.output<S>[] {
  if (Array.isArray(property(document, ...path.split('.')))) return readAt(schema, document, path, context);
  throw new ReportError('expected a list', path);
}

/** The messages about members of a list that cannot be read. @param first the first errors */
export function unreadable(first: readonly ReportError[], count: number): string[] {
  const messages = first.slice(0, MAX_LISTED).map(({ message }) => `A result cannot be read: ${message}`);
  return count > MAX_LISTED ? [...messages, `${count - MAX_LISTED} more results cannot be read`] : messages;
}

/** Any error of an importer that is about a value in the report. */
export const toReportError = (error: unknown): unknown =>
  error instanceof z.ZodError ? new ReportError(...locate(error, '')) : error;

/** The members of a list whose errors are recorded one by one. */
export const MAX_LISTED = 5;

function locate(error: z.ZodError, path: string): [message: string, location: string | undefined] {
  const [issue] = error.issues;
  const location = [path, ...(issue?.path ?? [])].filter((part) => part !== '').join('.');
  return [issue?.message ?? 'not a report', location === '' ? undefined : location];
}
