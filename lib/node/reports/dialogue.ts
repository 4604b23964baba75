import type { ChildProcess } from 'node:child_process';
import type { Finding } from '../../importers/finding.ts';
import type { Refusal, ReportHead, ReportJob } from '../../reports/read.ts';

/** A message to a process that reads reports. The body of the report follows on its standard input. */
export type ToReader = ({ kind: 'read'; length: number } & Omit<ReportJob, 'body'>) | { kind: 'next' };

/** Its answer, after a message with the size of a report. */
export type FromReader = { kind: 'unpacked'; bytes: number } | Answer;

export type Answer =
  | { kind: 'read'; head: ReportHead }
  | { kind: 'refused'; refusal: Refusal; bug?: string }
  | { kind: 'findings'; findings: Finding[] };

/** The time for an answer, however busy the machine is. */
const MAX_WAIT_MS = 180_000;

/** The process has ended, or was killed because it did not answer in time or used too much processor time. */
export class EndedError extends Error {
  readonly isLate: boolean;

  constructor({ isLate }: { isLate: boolean }) {
    super('the process that reads the report has ended');
    this.isLate = isLate;
  }
}

/** Asks a process one question after another. */
export function createDialogue(child: ChildProcess, onUnpacked: (bytes: number) => void) {
  let last: Promise<unknown> = Promise.resolve();

  const ask = (question: ToReader, body?: Uint8Array): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onEnd).off('error', onError);
      };
      const onMessage = (message: unknown) => {
        const answer = message as FromReader;
        if (answer.kind === 'unpacked') return onUnpacked(answer.bytes);
        settle();
        resolve(answer);
      };
      const end = (isLate: boolean) => {
        settle();
        reject(new EndedError({ isLate }));
      };
      const onEnd = () => end(false);
      const onError = (error: Error) => {
        settle();
        reject(error);
      };
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        end(true);
      }, MAX_WAIT_MS);
      child.on('message', onMessage).on('exit', onEnd).on('error', onError);
      if (child.exitCode !== null || child.signalCode !== null) return onEnd();
      child.send(question, () => {});
      if (body) child.stdin?.write(body);
    });

  return (question: ToReader, body?: Uint8Array): Promise<Answer> => {
    const answer = last.then(() => ask(question, body));
    last = answer.catch(() => {});
    return answer;
  };
}
