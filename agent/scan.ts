/** API contract, "Agent personas". */
export const PERSONAS = ['sharingan', 'senku', 'killua'] as const;
export type Persona = (typeof PERSONAS)[number];

/** Pushes under way at the same time, unless somebody says otherwise. */
export const DEFAULT_CONCURRENCY = 8;

/** A scan as it is registered. */
export interface ScanSpec {
  scan_id: string;
  /** One of both. */
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
}

export type ScanEnd = { status: 'completed' } | { status: 'failed'; error_message: string };
