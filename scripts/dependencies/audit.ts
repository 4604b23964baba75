import { execFile } from 'node:child_process';

/** The result of `npm audit`, or why it has none. */
export type Audit = { faults: string[] } | { skipped: string };

interface AuditReport {
  vulnerabilities?: Record<string, { severity: string; via: (string | { title: string; url: string })[] }>;
  message?: string;
  error?: { summary?: string };
}

/** Asks the registry for known vulnerabilities. Not every registry answers, and not every machine has one. */
export function audit(root: string): Promise<Audit> {
  const args = ['audit', '--json', '--fetch-retries=0', '--fetch-timeout=10000'];
  // Within `npm run` this is npm itself, also where its command is a batch file.
  const { npm_execpath: npm } = process.env;
  const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
  return new Promise((resolve) => {
    const options = { cwd: root, timeout: 30_000, maxBuffer: 64 * 1024 * 1024 };
    // It exits with 1 when there are vulnerabilities.
    execFile(command, [...first, ...args], options, (error, stdout) =>
      resolve(stdout ? readAudit(stdout) : { skipped: error?.message ?? 'no answer' }),
    );
  });
}

/** @param output of `npm audit --json` */
export function readAudit(output: string): Audit {
  const { vulnerabilities, message, error } = parse(output);
  if (!vulnerabilities) return { skipped: message ?? error?.summary ?? 'no answer' };
  const faults = Object.entries(vulnerabilities).flatMap(([name, { severity, via }]) =>
    via
      .filter((cause) => typeof cause !== 'string')
      .map(({ title, url }) => `${name} has a vulnerability (${severity}): ${title}, ${url}`),
  );
  return { faults };
}

function parse(output: string): AuditReport {
  try {
    return JSON.parse(output);
  } catch {
    return { message: output.slice(0, 200) };
  }
}
