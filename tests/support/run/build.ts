import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Builds `dist/` once for all suites that start it, as `npm start` does. */
export default async function setup() {
  await promisify(execFile)('npm', ['run', '--silent', 'build']);
}
