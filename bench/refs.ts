import { createClient, must } from '../tests/support/api/client.ts';
import { readOf } from '../tests/support/http/requests.ts';
import { bench, sequentially } from './support/rounds.ts';

const REFS = 200;
/** Findings that each branch has besides those of its own. */
const SHARED = 10_000;
const COUNT = 20;
const AIM = { atMost: 100 };

/** Many branches must not make pages, counts and gates slow. */
export const refs = bench({
  summary: `pages, counts and gates of a project with 1,000,000 findings and ${REFS} branches; one request at a time`,

  async run(scene, { rows }) {
    const server = await scene.server();
    const { sql } = await scene.database();
    const org = await scene.seed(server, { findings: rows, bytes: 1_000, projects: 1, scans: REFS + 2 });
    const { schema } = org;
    const api = createClient(fetch, server.url);
    const set = { default_ref: 'main' };
    must(await api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: set }));
    // Two scans of main have everything but what only branches have; each branch has its own and some of main.
    const [base, main, ...branches] = org.scanIds as [string, string, ...string[]];
    const refOf = `case when scan_id in ('${base}', '${main}') then 'main' else 'branch-' || scan_id end`;
    scene.site.say('  making the branches');
    await sql.unsafe(`
truncate ${schema}.series;
update ${schema}.scans set target = json_build_object('ref', ${refOf}), commit = md5(scan_id), sources = '{semgrep}',
  tracked = scan_id in ('${base}', '${main}'), series_id = md5(${refOf})::uuid, status = 'completed', completed_at = now();
insert into ${schema}.series (id, key, project_id, ref, tracked, settled)
select distinct series_id, md5(project_id || ' ' || persona || ' ' || json_build_object('ref', target ->> 'ref')::text)::uuid,
  project_id, target ->> 'ref', tracked, true from ${schema}.scans;
create temp table made as select f.id, f.created_at, s.scan_id, s.series_id, not s.tracked and abs(hashtext(f.fingerprint)) % 100 = 0 as own
from ${schema}.findings f join ${schema}.scans s on s.scan_id = f.scan_id;
update ${schema}.findings f set proposed = true from made m where m.id = f.id and m.own;
insert into ${schema}.finding_refs select id, md5('main')::uuid, created_at, created_at, '${main}' from made where not own;
insert into ${schema}.finding_refs select id, series_id, created_at, created_at, scan_id from made where own;
insert into ${schema}.finding_refs select m.id, s.series_id, m.created_at, m.created_at, s.scan_id
  from ${schema}.scans s cross join (select * from made where not own order by id desc limit ${SHARED}) m where not s.tracked;
insert into ${schema}.sightings select s.scan_id, m.id from ${schema}.scans s
  cross join (select * from made where not own order by id desc limit ${SHARED}) m where not s.tracked on conflict do nothing;
insert into ${schema}.sightings select b.scan_id, m.id from made m cross join unnest(array['${base}', '${main}']) b(scan_id)
  where not m.own on conflict do nothing;
delete from ${schema}.finding_counts;
insert into ${schema}.finding_counts (project_id, severity, status, count, regressed, proposed)
  select project_id, severity, status, count(*), 0, count(proposed) from ${schema}.findings group by 1, 2, 3`);
    for (const table of ['findings', 'finding_refs', 'sightings', 'scans', 'series', 'finding_counts'])
      await sql.unsafe(`vacuum (analyze) ${schema}.${table}`);
    const branch = branches.at(-1) as string;
    const [shared] = await sql.unsafe<{ id: string }[]>(
      `select finding_id as id from ${schema}.sightings where scan_id = '${branch}' limit 1`,
    );

    const page = '/findings?page=1&per_page=50';
    const measured: Record<string, string> = {
      'page of all': page,
      'page of what needs attention': `${page}&attention=true`,
      'page of a branch': `${page}&ref=branch-${branch}`,
      'page of high findings of a branch': `${page}&severity=high&ref=branch-${branch}`,
      'page of main': `${page}&ref=main`,
      'page of proposed findings': `${page}&proposed=true`,
      'where a finding is present': `/findings/${shared?.id}/refs`,
      counts: '/dashboard/stats',
      'gate of a branch': `/scans/${branch}/gate?fail_on=high&base_ref=main`,
      'gate of main': `/scans/${main}/gate?fail_on=high`,
    };
    const figures = [];
    for (const [name, path] of Object.entries(measured)) {
      const value = await sequentially(server.url, readOf(org, path), COUNT)().catch(({ message }: Error) => {
        scene.site.say(message);
        return Number.NaN;
      });
      scene.site.say(`  ${name}: ${value.toFixed(1)} ms`);
      figures.push({ name: `${name}, ms`, value, aim: AIM });
    }
    return figures;
  },
});
