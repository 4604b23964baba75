import argon2 from '@phi-ag/argon2/argon2.wasm';
import page from '../../../dist/public/index.html';
import { endpoints } from '../../../handlers/index.ts';
import { createEdgeHasher } from '../../../lib/edge/argon2.ts';
import type { Env } from '../../../lib/edge/config.ts';
import { createWorker, type Execution, type Worker } from '../../../lib/edge/worker.ts';
import { plainHasher } from '../server/hasher.ts';

// The unchanged worker, once for every app of the tests: each with its own variables, database and clock.

/** The parts of an app; posted once. */
export interface EdgeApp {
  id: string;
  variables: Record<string, string>;
  databaseUrl: string;
  /** Whether passwords are kept as they are. */
  plain: boolean;
}

interface Running {
  worker: Worker;
  env: Env;
  /** Lines of its log that no response has carried yet. */
  lines: string[];
  aheadMs: number;
}

const apps = new Map<string, Running>();
const hasher = createEdgeHasher(argon2);

function start({ variables, databaseUrl, plain }: EdgeApp, { ASSETS }: Env): Running {
  const lines: string[] = [];
  const app: Running = {
    worker: createWorker({
      endpoints,
      page,
      hasher: plain ? plainHasher : hasher,
      write: (line) => lines.push(line),
      clock: () => new Date(Date.now() + app.aheadMs),
    }),
    env: { ...variables, HYPERDRIVE: { connectionString: databaseUrl }, ASSETS },
    lines,
    aheadMs: 0,
  };
  return app;
}

export default {
  async fetch(request: Request, env: Env, execution: Execution): Promise<Response> {
    const headers = new Headers(request.headers);
    const app = apps.get(headers.get('x-test-app') ?? '');
    if (!app) {
      const made = (await request.json()) as EdgeApp;
      apps.set(made.id, start(made, env));
      return new Response(null, { status: 204 });
    }
    app.aheadMs = Number(headers.get('x-test-ahead'));
    headers.delete('x-test-app');
    headers.delete('x-test-ahead');
    const response = await app.worker.fetch(new Request(request, { headers }), app.env, execution);
    const answer = new Response(response.body, response);
    answer.headers.set('x-test-log', encodeURIComponent(JSON.stringify(app.lines.splice(0))));
    return answer;
  },
};
