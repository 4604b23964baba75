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
  };
  commit?: string | undefined;
}

/** A completed scan has an error message if the scanner could not check everything. */
export type ScanEnd =
  | { status: 'completed'; error_message?: string }
  | { status: 'failed'; error_message: string };
