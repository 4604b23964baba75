/** The names of all importers; apart from them, so that they are not loaded to be named. */
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
  'trivy',
  'zap',
] as const;
