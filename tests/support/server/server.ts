import { type Api, createApi } from '../api/api.ts';
import { type ServerProcess, startServerProcess } from './process.ts';

export { runServer, stopServers } from './process.ts';

/** A server as a process of its own, and a client that holds it to its description. */
export interface RunningServer extends ServerProcess {
  api: Api;
}

/** Starts the server and waits until it listens. */
export async function startServer(env: Record<string, string>, cwd?: string): Promise<RunningServer> {
  const server = await startServerProcess(env, cwd);
  return { ...server, api: createApi((request) => fetch(request), server.url) };
}
