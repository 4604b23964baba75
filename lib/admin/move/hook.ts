import { spawn } from 'node:child_process';

/** Runs a command line of the operator, whose output goes to the standard error output. @returns whether it succeeded */
export async function runHook(commandLine: string): Promise<boolean> {
  const child = spawn(commandLine, { shell: true, stdio: ['ignore', 2, 2] });
  return await new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}
