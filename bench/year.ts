import type { SeededOrg } from '../tests/support/database/seed.ts';
import { readOf } from '../tests/support/http/requests.ts';
import type { Scene } from '../tests/support/scenario/scene.ts';
import type { ServerProcess } from '../tests/support/server/process.ts';
import { type BenchOptions, bench, compare, sequentially } from './support/rounds.ts';

/** Times requests to an organization whose findings are of a year, one at a time. */
const measured = async (
  scene: Scene,
  { rounds, rows }: BenchOptions,
  name: string,
  request: (org: SeededOrg) => Promise<string>,
  limitMs: number,
  projects = 10,
) => {
  const server: ServerProcess = await scene.server();
  const org = await scene.seed(server, { findings: rows, bytes: 1_000, projects, isYear: true });
  const ours = sequentially(server.url, readOf(org, await request(org)), REQUESTS);
  const figure = await compare(scene, rounds, name, { ours }, ' ms');
  return [{ name: 'ms', ...figure, aim: { atMost: limitMs } }];
};

const REQUESTS = 20;

export const metrics = bench({
  summary: 'GET /dashboard/metrics over a year of 1,000,000 findings; one request at a time',
  run: (scene, options) =>
    measured(scene, options, 'metrics', async () => `/dashboard/metrics?from=${yearAgo()}`, 500),
});

const yearAgo = () => encodeURIComponent(new Date(Date.now() - 365 * 24 * 60 * 60 * 1_000).toISOString());

export const projectWeeks = bench({
  summary: 'GET /dashboard/projects with the weeks of a year, of 50 projects with 1,000,000 findings in all',
  run: (scene, options) =>
    measured(
      scene,
      options,
      'project-weeks',
      async () => `/dashboard/projects?limit=50&from=${yearAgo()}`,
      500,
      50,
    ),
});

export const similar = bench({
  summary: 'GET /findings/{id}/similar at 1,000,000 findings, 100,000 of which have the same title',
  run: (scene, options) =>
    measured(
      scene,
      options,
      'similar',
      async (org) => {
        const { sql } = await scene.database();
        const [row] = await sql.unsafe<{ id: string }[]>(
          `select id from ${org.schema}.findings where title = 'Rule 0' and cve is not null limit 1`,
        );
        return `/findings/${row?.id}/similar`;
      },
      50,
    ),
});
