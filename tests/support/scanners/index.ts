import { bandit, eslint, gosec, semgrep } from './code.ts';
import { govulncheck, pipAudit } from './dependencies.ts';
import { checkov } from './infrastructure.ts';
import type { RealScanner } from './scanner.ts';
import { detectSecrets, gitleaks } from './secrets.ts';

/** The slowest first. */
export const REAL_SCANNERS: readonly RealScanner[] = [
  semgrep,
  checkov,
  gosec,
  govulncheck,
  pipAudit,
  eslint,
  bandit,
  detectSecrets,
  gitleaks,
];
