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
/** Scanners whose name is more than a capital letter, by their source. */
export const scannerNames = {
  'aws-inspector': 'AWS Inspector',
  'aws-security-hub': 'AWS Security Hub',
  'bundler-audit': 'bundler-audit',
  'cargo-audit': 'cargo-audit',
  cyclonedx: 'CycloneDX',
  'dependency-check': 'Dependency-Check',
  'dependency-track': 'Dependency-Track',
  eslint: 'ESLint',
  gosec: 'gosec',
  'npm-audit': 'npm audit',
  'osv-scanner': 'OSV-Scanner',
  'pip-audit': 'pip-audit',
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
