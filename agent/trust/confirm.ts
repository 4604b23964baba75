import { createInterface } from 'node:readline';
import { oneLine } from '../text.ts';

/** Asks a question at the terminal. @returns false without a terminal, in CI, and unless the answer is yes */
export async function confirmAtTerminal(question: string): Promise<boolean> {
  const { stdin, stderr, env } = process;
  if (!stdin.isTTY || !stderr.isTTY || env.CI) return false;
  const terminal = createInterface({ input: stdin, output: stderr, prompt: `${oneLine(question)} [y/N] ` });
  const answer = await new Promise<string>((resolve) => {
    terminal.once('line', resolve);
    // Ctrl-C and Ctrl-D.
    terminal.once('close', () => resolve(''));
    terminal.prompt();
  });
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
