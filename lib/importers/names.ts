/** The names of all importers, in a separate file so that the command line does not load the importers. */
export const FORMATS = [
  'bandit',
  'burp',
  'checkov',
  'gitleaks',
  'govulncheck',
  'grype',
  'nessus',
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
