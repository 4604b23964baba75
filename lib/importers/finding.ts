/** Most severe first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A finding as an agent reports it: what the service takes, but for the ids of scan and project. */
export interface Finding {
  /** Stable over re-runs and shifted lines; the service keeps one finding per project and fingerprint. */
  fingerprint: string;
  title: string;
  severity: Severity;
  /** Markdown. */
  description: string;
  /** `CWE-89` */
  cwe?: string | undefined;
  /** `CVE-2026-12345` */
  cve?: string | undefined;
  /** 0.0 to 10.0 */
  cvss_score?: number | undefined;
  cvss_vector?: string | undefined;
  /** Relative to the workspace. */
  file?: string | undefined;
  line?: number | undefined;
  /** What found it, such as `semgrep`. */
  source?: string | undefined;
}
