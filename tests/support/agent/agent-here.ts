import { Writable } from 'node:stream';
import { main } from '../../../agent/cli.ts';
import { AGENT, type AgentOptions, type AgentRun, agentEnv } from './agent.ts';

let isRunning = false;

/**
 * Runs svc-agent in this process, which takes a twentieth of the time a process of its own takes to start: for what is
 * neither about signals, stdin, nor several agents at a time. The agent has an environment, a working directory, a
 * command line, stdout and stderr of its own.
 */
export async function runAgentHere(
  args: string[],
  options: Pick<AgentOptions, 'cwd' | 'env'>,
): Promise<AgentRun> {
  if (isRunning) throw new Error('Agents that run at the same time need processes of their own');
  isRunning = true;
  const said = { out: '', err: '' };
  const into = (stream: keyof typeof said) =>
    new Writable({
      decodeStrings: false,
      write(chunk, _, done) {
        said[stream] += chunk;
        done();
      },
    });
  const { env, argv } = process;
  const streams = (['stdout', 'stderr'] as const).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor] as const,
  );
  const cwd = process.cwd();
  const outside = { ...env };
  const setEnv = (variables: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(env)) delete env[name];
    for (const [name, value] of Object.entries(variables)) if (value !== undefined) env[name] = value;
  };

  process.argv = [process.execPath, AGENT, ...args];
  process.chdir(options.cwd);
  Object.defineProperty(process, 'stdout', { value: into('out'), configurable: true });
  Object.defineProperty(process, 'stderr', { value: into('err'), configurable: true });
  setEnv(agentEnv(options));
  try {
    return { code: await main(args), ...said };
  } finally {
    setEnv(outside);
    for (const [name, stream] of streams) Object.defineProperty(process, name, stream);
    process.chdir(cwd);
    process.argv = argv;
    isRunning = false;
  }
}
