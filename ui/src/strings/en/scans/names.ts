/** The kind of scan of each persona. */
export const personaNames = {
  sharingan: 'Full audit',
  senku: 'Dependencies',
  killua: 'Penetration test',
};
/** The kinds in a sentence. */
export const personasInSentence = {
  sharingan: 'full audit',
  senku: 'dependencies',
  killua: 'penetration test',
};
/** Scanners and formats of reports whose name is more than a capital letter, by their source or format. */
export const scannerNames = {
  'aws-inspector': 'AWS Inspector',
  'aws-security-hub': 'AWS Security Hub',
  'bundler-audit': 'bundler-audit',
  'cargo-audit': 'cargo-audit',
  cyclonedx: 'CycloneDX',
  'dependency-check': 'Dependency-Check',
  'dependency-track': 'Dependency-Track',
  eslint: 'ESLint',
  'generic-csv': 'CSV',
  'generic-json': 'JSON',
  'github-code-scanning': 'GitHub code scanning',
  'github-dependabot': 'GitHub Dependabot',
  'github-secret-scanning': 'GitHub secret scanning',
  'gitlab-container-scanning': 'GitLab container scanning',
  'gitlab-dast': 'GitLab DAST',
  'gitlab-dependency-scanning': 'GitLab dependency scanning',
  'gitlab-fuzzing': 'GitLab fuzzing',
  'gitlab-sast': 'GitLab SAST',
  'gitlab-secret-detection': 'GitLab secret detection',
  gosec: 'gosec',
  'npm-audit': 'npm audit',
  'osv-scanner': 'OSV-Scanner',
  'pip-audit': 'pip-audit',
  sarif: 'SARIF',
  sonarqube: 'SonarQube',
  trufflehog: 'TruffleHog',
  zap: 'ZAP',
};
/** Such as "Trivy + Semgrep". */
export const scanners = (names: readonly string[], others: number) =>
  others > 0 ? `${names.join(' + ')} + ${others}` : names.join(' + ');
export const scannersAndKind = (scanners: string, kind: string) => `${scanners} · ${kind}`;
/** The name of a scan that is not loaded or was deleted. */
export const aScan = 'a scan';
/** The name of a scan without one. */
export const generatedName = (what: string, time: string) => `${what}, ${time}`;
