import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Client } from '../../lib/client/index.ts';
import { DAY_MS, isThere, type Life, type Run } from '../../lib/demo/history.ts';
import type { Project, Schedule } from '../../lib/demo/project.ts';
import { SEVERITIES } from '../../lib/importers/finding.ts';
import { COMPANY, PEOPLE } from './company.ts';
import type { World } from './world.ts';

/** Pushes under way at the same time. */
const AT_ONCE = 100;
/** The number of findings that a team triages at a time. */
const TRIAGED = 32;

/** The time that a scanner runs before it reports. */
const SCAN_MS = 70_000;
/** How long risks are accepted. */
const ACCEPTED_MS = 90 * DAY_MS;

interface Known {
  id: string;
  life: Life;
  status: string;
}

interface Team {
  projectId: string;
  agent: Client;
}

export interface Story {
  /** The people, and where they sign in. */
  addresses: { email: string; role: string }[];
  scan(run: Run): Promise<void>;
  triage(): Promise<void>;
  /** A scan that is still running. */
  beginScan(run: Run): Promise<void>;
  counts(): { projects: number; scans: number; findings: number };
}

export const addressOf = (name: string, slug: string) =>
  `${(name.split(' ')[0] ?? '')
    .normalize('NFD')
    .replace(/[^a-z]/gi, '')
    .toLowerCase()}@${slug}.example`;

/** Founds the organization, and lets its people and agents do what they do. */
/** @param userIds gets the accounts as they are made */
export async function begin(
  world: World,
  { slug, password, userIds }: { slug: string; password: string; userIds: string[] },
): Promise<Story> {
  const began = world.now();
  const addresses = PEOPLE.map(({ name, role }) => ({ email: addressOf(name, slug), role }));
  const teams = new Map<Project, Team>();
  const known = new Map<Life, Known>();
  const runs = new Map<Schedule, number>();
  let scans = 0;
  let turn = 0;

  const dayNow = () => (world.now() - began) / DAY_MS;

  /** The decision of the team. Confirmed findings are assigned to a member in turn, half of the risks are accepted for a while. */
  const decisionOf = ({ verdict: status }: Life, turn: number) => ({
    status,
    ...(status === 'false_positive' && {
      reason: turn % 2 ? ('used_in_tests' as const) : ('not_exploitable' as const),
    }),
    ...(status === 'wontfix' && {
      reason: 'risk_accepted' as const,
      ...(turn % 2 && { accepted_until: new Date(world.now() + ACCEPTED_MS).toISOString() }),
    }),
    ...(status === 'confirmed' && turn % 3 > 0 && { assignee_id: userIds[1 + (turn % 3)] }),
  });

  const signIn = (index: number) => world.signIn(userIds[index] ?? '', slug);

  async function found(): Promise<void> {
    for (const [index, { name }] of PEOPLE.entries()) {
      const { email } = addresses[index] as { email: string };
      const visitor = world.visit();
      const { result } = await visitor.post('/auth/register', { body: { email, password, name } });
      userIds.push(result.user.id);
      const { searchParams } = world.linkTo(email);
      const [token, email_id] = ['token', 'email_id'].map((key) => searchParams.get(key) ?? '') as [
        string,
        string,
      ];
      await visitor.post('/auth/verify-email', { body: { token, email_id } });
      if (index === 0) await visitor.post('/orgs', { body: { name: COMPANY, slug, plan: 'pro' } });
    }
    const owner = await signIn(0);
    for (const { email, role } of addresses.slice(1))
      await owner.post('/members/invite', { body: { email, role } });
    // Somebody who has not answered yet.
    await owner.post('/members/invite', { body: { email: `freelancer@${slug}.example`, role: 'member' } });
    await owner.put('/settings/due-dates', {
      body: { critical: 7, high: 30, medium: 90, low: null, info: null },
    });
    await owner.post('/rules', {
      body: {
        name: 'Information needs no work',
        conditions: { severity: ['info'] },
        actions: { status: 'wontfix', reason: 'risk_accepted', note: 'Agreed in the security meeting.' },
      },
    });
    await owner.post('/views', {
      body: {
        name: 'Critical and unassigned',
        query: 'attention=true&severity=critical&assignee=none',
        shared: true,
      },
    });
  }

  /** A project's agents, whose token is made when they first report. */
  async function teamOf(project: Project): Promise<Team> {
    const there = teams.get(project);
    if (there) return there;
    const admin = await signIn(1);
    const { result } = await admin.post('/projects', { body: { name: project.name } });
    const path = { projectId: result.id };
    // The first token was shown to too many.
    const first = await admin.post('/projects/{projectId}/tokens', {
      params: { path },
      body: { name: 'laptop' },
    });
    const { id } = first.result.info;
    await admin.delete('/projects/{projectId}/tokens/{id}', { params: { path: { ...path, id } } });
    const made = await admin.post('/projects/{projectId}/tokens', {
      params: { path },
      body: { name: 'ci', expires_in: 365 },
    });
    const agent = world.visit({ orgSlug: slug, token: made.result.token });
    const team = { projectId: result.id, agent };
    teams.set(project, team);
    return team;
  }

  async function push({ agent, projectId }: Team, scanId: string, lives: Life[]): Promise<void> {
    for (let index = 0; index < lives.length; index += AT_ONCE) {
      const some = lives.slice(index, index + AT_ONCE);
      await Promise.all(
        some.map(async (life) => {
          const { result } = await agent.post('/agent/findings', {
            body: { scan_id: scanId, project_id: projectId, ...life.finding },
          });
          known.set(life, { id: result.id, life, status: result.status });
          const { finding } = life;
          if (!result.deduplicated && finding.source === 'zap' && finding.severity === 'critical')
            await agent.post('/agent/findings/{id}/exploits', {
              params: { path: { id: result.id } },
              body: {
                filename: 'poc.sh',
                language: 'bash',
                code: `#!/bin/sh\n# Answers after five seconds instead of at once.\ntime curl -s "${/https:\S+?(?=`)/.exec(finding.description)?.[0]}?q=1'||pg_sleep(5)--"\n`,
              },
            });
        }),
      );
      world.goTo(world.now() + 4_000);
    }
  }

  async function register({ project, schedule }: Run): Promise<{ team: Team; scanId: string }> {
    const team = await teamOf(project);
    const { persona, target } = schedule;
    const number = (runs.get(schedule) ?? 0) + 1;
    runs.set(schedule, number);
    const name = `${schedule.name} #${number}`;
    // The same at the same time, so that pictures of the demo organization do not change.
    const random = createHash('sha256').update(`${slug} ${project.name} ${name}`).digest();
    const scanId = uuidv7({ msecs: world.now(), random });
    const body = { scan_id: scanId, project_id: team.projectId, persona, name, target };
    await team.agent.post('/agent/scans', { body });
    world.goTo(world.now() + SCAN_MS);
    scans++;
    return { team, scanId };
  }

  /** Verifies findings that are marked as fixed and that scanners no longer find. */
  async function verify({ agent }: Team, lives: Life[]): Promise<void> {
    const gone = lives.map((life) => known.get(life)).filter((one) => one?.status === 'fixed') as Known[];
    for (const one of gone.filter(({ life }) => !isThere(life, dayNow()))) {
      await agent.patch('/agent/findings/{id}', {
        params: { path: { id: one.id } },
        body: { status: 'verified' },
      });
      one.status = 'verified';
    }
  }

  await found();
  return {
    addresses,
    counts: () => ({ projects: teams.size, scans, findings: known.size }),

    async scan(run) {
      const { team, scanId } = await register(run);
      const there = run.lives.filter((life) => isThere(life, dayNow()));
      await push(team, scanId, run.failure ? there.slice(0, there.length / 3) : there);
      await team.agent.patch('/agent/scans/{id}', {
        params: { path: { id: scanId } },
        body: run.failure ? { status: 'failed', error_message: run.failure } : { status: 'completed' },
      });
      if (!run.failure && run.schedule.persona !== 'killua') await verify(team, run.lives);
    },

    async triage() {
      // All members who may triage take turns.
      const user = await signIn([2, 1, 3, 2, 0, 3][turn++ % 6] ?? 1);
      const all = [...known.values()];
      const looked = all
        .filter(({ status }) => status === 'open')
        .sort((a, b) => rank(a) - rank(b))
        .slice(0, TRIAGED)
        .map((one, i) => ({ one, ...decisionOf(one.life, i) }));
      const mended = all
        .filter(({ status, life }) => status === 'confirmed' && !isThere(life, dayNow()))
        .map((one) => ({ one, status: 'fixed' as const }));
      const changes = [...looked, ...mended].slice(0, 500);
      if (changes.length === 0) return;
      await user.patch('/findings', {
        body: { changes: changes.map(({ one, ...decision }) => ({ id: one.id, ...decision })) },
      });
      for (const { one, status } of changes) one.status = status;
      const [remarkable] = looked.filter(({ status }) => status === 'confirmed');
      if (remarkable && turn % 4 === 0)
        await user.post('/findings/{id}/comments', {
          params: { path: { id: remarkable.one.id } },
          body: { body: 'Reproduced in **staging**. The fix belongs in the next release.' },
        });
    },

    async beginScan(run) {
      const { team, scanId } = await register(run);
      await push(team, scanId, run.lives.filter((life) => isThere(life, dayNow())).slice(0, AT_ONCE));
    },
  };
}

const rank = ({ life }: Known) => SEVERITIES.indexOf(life.finding.severity);
