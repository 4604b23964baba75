/** The kinds of scans (docs/glossary.md). */
export const PERSONAS = ['sharingan', 'senku', 'killua'] as const;
export type Persona = (typeof PERSONAS)[number];

/** Default number of concurrent requests. */
export const DEFAULT_CONCURRENCY = 8;

/** The body of the request that registers a scan. */
export interface ScanSpec {
  scan_id: string;
  /** Either `project_id` or `project` (the slug) is set. */
  project_id?: string;
  project?: string;
  persona: Persona;
  name?: string | undefined;
  target?: {
    type?: string | undefined;
    path?: string | undefined;
    url?: string | undefined;
    ref?: string | undefined;
    base_ref?: string | undefined;
    default_ref?: string | undefined;
    category?: string | undefined;
  };
  commit?: string | undefined;
  /** The scanners that ran, also those that found nothing. */
  sources?: string[];
}

/** The part of a scan that may be known only when its report has been read. */
export type Described = Pick<ScanSpec, 'target' | 'sources'>;

/** Without a target of which nothing is known. */
export const describedBy = ({ target, sources }: Described): Described => ({
  ...(target && Object.values(target).some((part) => part !== undefined) && { target }),
  ...(sources && sources.length > 0 && { sources }),
});

/** A completed scan has an error message if the scanner could not check everything. */
export type ScanEnd =
  | ({ status: 'completed'; error_message?: string } & Described)
  | { status: 'failed'; error_message: string };
