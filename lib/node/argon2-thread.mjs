// A thread of the password hasher: hashes one password after the other. JavaScript, because Node 20 runs it as it is.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';

/** Below PostgreSQL and the thread that serves, but not so low that logins starve on a busy machine. */
const NICE = 10;

// On Linux each thread has a priority of its own; elsewhere this would slow down the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(NICE);
  } catch {
    // A sandbox may forbid it. Then it runs with the priority of the others.
  }
}

parentPort?.on('message', ({ password, stored, options }) => {
  try {
    const result = stored === undefined ? hashSync(password, options) : verifySync(stored, password);
    parentPort?.postMessage({ result });
  } catch (error) {
    parentPort?.postMessage({ error });
  }
});
