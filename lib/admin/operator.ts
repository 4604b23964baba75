import { userInfo } from 'node:os';

/** The operating system user that runs the command, for the log. */
export function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
