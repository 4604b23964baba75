import { type Api, createApi } from '../api/api.ts';
import { launchServer, type ServerProcess, startServerProcess } from './process.ts';

export { stopServers } from './process.ts';

/** A server process and a client that holds its responses to the API's description. */
export interface RunningServer extends ServerProcess {
  api: Api;
}

/** Starts the server and waits until it listens. */
export async function startServer(env: Record<string, string>): Promise<RunningServer> {
  const server = await startServerProcess({ env });
  return { ...server, api: createApi((request) => fetch(request), server.url) };
}

/** Runs the server until it exits. */
export async function runServer(env: Record<string, string>) {
  const server = launchServer({ env });
  return { code: await server.exited, out: server.log(), err: server.errors() };
}
