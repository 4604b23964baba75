import { addMember, createClient } from '../tests/support/api/client.ts';
import { readOf } from '../tests/support/http/requests.ts';
import { bench, compare, sequentially } from './support/rounds.ts';

const PROJECTS = 1_000;

/** How many of them a member is assigned to. */
const ASSIGNED = [20, PROJECTS];

const yearAgo = () => encodeURIComponent(new Date(Date.now() - 365 * 24 * 60 * 60 * 1_000).toISOString());

/** Frequent and expensive reads. */
const READS = {
  page: () => '/findings?per_page=100',
  'high ones': () => '/findings?per_page=100&severity=high&status=open',
  'page 150': () => '/findings?per_page=100&page=150',
  search: () => '/findings?per_page=100&q=handler-500.ts',
  stats: () => '/dashboard/stats',
  trend: () => '/dashboard/trend?days=30',
  metrics: () => `/dashboard/metrics?from=${yearAgo()}`,
};

/** A limit to projects must not make reads much more expensive than those of everything. */
export const assigned = bench({
  summary: `Reads by members who are assigned to ${ASSIGNED.join(' and ')} of ${PROJECTS} projects with 1,000,000 findings in all, against the owner's; one request at a time`,

  async run(scene, { rounds, rows }) {
    const server = await scene.server();
    const org = await scene.seed(server, { findings: rows, bytes: 1_000, projects: PROJECTS, isYear: true });
    const { sql } = await scene.database();
    const figures = [];
    for (const count of ASSIGNED) {
      const { id, cookie } = await addMember(createClient(fetch, server.url), org);
      await sql.unsafe(`insert into ${org.schema}.project_members (user_id, project_id, role, created_at)
        select '${id}', id, 'member', now() from ${org.schema}.projects limit ${count}`);
      await sql.unsafe(`update shared.memberships set project_access = 'assigned' where user_id = '${id}'`);
      const member = { ...org, owner: { ...org.owner, cookie } };
      for (const [name, pathOf] of Object.entries(READS)) {
        const measure = (caller: typeof member) => sequentially(server.url, readOf(caller, pathOf()), 10);
        const measures = { ours: measure(member), limit: measure(org) };
        const figure = await compare(scene, rounds, `${name} of ${count}`, measures, ' ms');
        figures.push({
          name: `${name} of ${count}, ms`,
          ...figure,
          limitedBy: 'the owner',
          aim: { atMost: 3 },
        });
      }
    }
    return figures;
  },
});
