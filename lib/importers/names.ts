/** The names of all importers, in a separate file so that the command line does not load the importers. */
export const FORMATS = [
  'bandit',
  'checkov',
  'generic-csv',
  'generic-json',
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
  'trivy',
  'zap',
] as const;
