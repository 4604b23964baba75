import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AdminError } from './error.ts';

/** Asks at the terminal, without showing the answer. */
export type Ask = (question: string) => Promise<string>;

export const askAtTerminal: Ask = (question) =>
  new Promise((resolve, reject) => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: process.stdin, output, terminal: true });
    process.stderr.write(question);
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    // readline takes Ctrl-C from the terminal.
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    lines.once('close', () => {
      process.stderr.write('\n');
      reject(new AdminError('no answer'));
    });
  });
