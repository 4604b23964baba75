/** The service has no workspace: no path is in this directory, because paths have no NUL. */
export const WORKSPACE = { directory: '/\0' };

/** A report with more takes longer to write than a client waits. */
export const MAX_FINDINGS = 100_000;
