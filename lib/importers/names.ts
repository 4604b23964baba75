/** The names of all importers, in a separate file so that the command line does not load the importers. */
export const FORMATS = [
  'bandit',
  'checkov',
  'gitleaks',
  'govulncheck',
  'grype',
  'npm-audit',
  'nuclei',
  'osv-scanner',
  'pip-audit',
  'sarif',
  'semgrep',
  'snyk',
  'snyk-api',
  'trivy',
  'zap',
] as const;
