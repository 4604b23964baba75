import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { FindingRef } from '../../db/findings/refs.ts';
import { finishScan } from '../../db/scans/scans.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { SEVERITIES } from '../../db/schema/values.ts';
import { USER_STATUSES } from '../../lib/findings/input.ts';
import { addProject, createOrg, finding, must, type TestOrg } from '../support/api/api.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import * as model from './model.ts';

/*
 * Random scans of branches, compared with `model.ts` after each step. A failure prints the seed and the fewest steps that lead to it.
 * `SCANS_SEED=7 SCANS_STEPS=100000 npx vitest run --project long tests/scans/model.long.test.ts` tries others.
 */

const SEED = Number(process.env.SCANS_SEED ?? 1);
const STEPS = Number(process.env.SCANS_STEPS ?? 10_000);
/** Steps of a project. */
const LENGTH = 50;
/** Organizations, each with one project at a time. */
const LANES = 4;
/** How long steps of a failure are left out. */
const REDUCE_MS = 60_000;

let t: TestApp;

beforeAll(async () => {
  t = await startApp();
});

const PRINTS = ['a', 'b', 'c', 'x', 'y'];
const SOURCES = ['semgrep', 'bandit'];
/** The first half of the findings is of one scanner. */
const sourceOf = (print: string) => (print < 'm' ? 'semgrep' : 'bandit');

const one = <const T>(...values: T[]) => fc.constantFrom(...values);
const some = <T>(values: readonly T[]) => fc.subarray([...values]);
/** A scan, counted from the latest one: of those that run, if there are any, or of all. */
const scan = fc.record({ running: one(true, true, false), back: one(0, 0, 0, 1, 1, 2, 3, 5) });
const print = one(...PRINTS);
const severity = one('high', 'high', 'low');

const aTarget = fc.record({
  ref: one(undefined, 'main', 'main', 'main', 'release/1', 'feature'),
  path: one('web', 'web', 'api'),
  category: one(undefined, undefined, 'java', 'js'),
  base_ref: one(undefined, undefined, 'main', 'release/1'),
  default_ref: one(undefined, undefined, undefined, 'main'),
});
type Target = typeof aTarget extends fc.Arbitrary<infer T> ? T : never;

const scannedOf = (targets: readonly Target[]) =>
  fc.record({
    target: one(...targets),
    commit: one(undefined, 'c1', 'c2', 'c3'),
    declared: one([], SOURCES, ['semgrep'], ['bandit']),
    prints: fc.oneof(some(PRINTS), some(['a', 'b']), fc.constant([])),
    severity,
  });
type Scanned = ReturnType<typeof scannedOf> extends fc.Arbitrary<infer T> ? T : never;

const anEnd = fc.record({
  status: one('completed', 'completed', 'completed', 'completed', 'failed'),
  hasError: one(false, false, false, false, false, true),
});

const change = fc.oneof(
  fc.record({ closeAfter: one(null, 1, 2, 3) }),
  fc.record({ defaultRef: one(null, 'main', 'main', 'release/1') }),
  fc.record({ trackedRefs: one([], ['release/*'], ['*e*']) }),
);

const callOf = (scanned: fc.Arbitrary<Scanned>) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: one('scan'), scanned, end: anEnd }) },
    { weight: 8, arbitrary: fc.record({ kind: one('register'), scanned }) },
    { weight: 8, arbitrary: fc.record({ kind: one('push'), scan, prints: some(PRINTS), severity }) },
    { weight: 2, arbitrary: fc.record({ kind: one('rename'), scan, print, to: print, severity }) },
    { weight: 10, arbitrary: fc.record({ kind: one('end'), scan, end: anEnd }) },
    { weight: 2, arbitrary: fc.record({ kind: one('crash'), scan }) },
    { weight: 3, arbitrary: fc.record({ kind: one('decide'), print, status: one(...USER_STATUSES) }) },
    { weight: 1, arbitrary: fc.record({ kind: one('settings'), change }) },
  );
type Call = ReturnType<typeof callOf> extends fc.Arbitrary<infer T> ? T : never;
type End = typeof anEnd extends fc.Arbitrary<infer T> ? T : never;

/** Calls of one step: at the same time, if their order makes no difference; or the same call several times. */
const callsOf = (call: fc.Arbitrary<Call>) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(call) },
    { weight: 1, arbitrary: fc.tuple(call, call) },
    { weight: 1, arbitrary: fc.tuple(call, call, call) },
    { weight: 1, arbitrary: call.map((same) => [same, same]) },
  ) as fc.Arbitrary<Call[]>;

/** Asked after a step. */
const question = fc.oneof(
  fc.record({ kind: one('refs'), print }),
  fc.record({ kind: one('list'), ref: one('main', 'release/1', 'feature') }),
  fc.record({
    kind: one('gate'),
    scan: fc.nat(8),
    base: one(undefined, undefined, 'main', 'release/1'),
    failOn: one('high', 'low'),
  }),
);
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const settings = fc.record({
  closeAfter: one(null, 1, 1, 2, 2, 3),
  defaultRef: one(null, 'main', 'main'),
  trackedRefs: one([], ['release/*']),
});
/** The few targets of a project make it likely that scans are compared. */
const steps = fc.array(aTarget, { minLength: 1, maxLength: 4, size: 'max' }).chain((targets) => {
  const step = fc.record({ calls: callsOf(callOf(scannedOf(targets))), question });
  return fc.record({
    settings,
    steps: fc.array(step, { minLength: LENGTH, maxLength: LENGTH, size: 'max' }),
  });
});
type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** A project, and its model. */
interface World {
  org: TestOrg;
  model: model.Project;
  /** The fingerprints of findings after the latest step, by id. */
  prints: Map<string, string>;
  /** The number of the step. */
  now: number;
  /** When scans have completed in each step. */
  completed: Map<number, Set<string>>;
}

/** A call that is possible now. */
interface Planned {
  kind: Call['kind'];
  /** The new scan. */
  id: string;
  /** Makes the call. @returns the time of the new scan */
  send(): Promise<string>;
  /** Makes it on a model. */
  apply(p: model.Project): void;
}

let scans = 0;

function plan(world: World, call: Call): Planned | undefined {
  const { model: p, now } = world;
  const id = `scan-${String(scans++).padStart(6, '0')}`;
  const planned = (send: () => Promise<unknown>, apply: (p: model.Project) => void) => ({
    ...{ kind: call.kind, id, apply },
    send: async () => String(await send()),
  });
  const pushAll = (p: model.Project, s: number, prints: readonly string[], severity: string) => {
    for (const print of prints) model.push(p, now, s, model.find(p, s, print, sourceOf(print)), severity);
  };
  switch (call.kind) {
    case 'register':
    case 'scan': {
      const { target, declared, commit, prints, severity } = call.scanned;
      return planned(
        async () => {
          const created = await register(world, id, call.scanned);
          if (call.kind === 'register') return created;
          await push(world, id, prints, { severity });
          await end(world, id, call.end);
          return created;
        },
        (p) => {
          model.register(p, { id, target: withoutUndefined(target), declared, commit });
          if (call.kind === 'register') return;
          pushAll(p, p.scans.length - 1, prints, severity);
          endOnModel(p, now, p.scans.length - 1, call.end);
        },
      );
    }
    case 'settings':
      return planned(
        () => configure(world, call.change),
        (p) => model.settle(p, model.change(p, call.change)),
      );
    case 'decide': {
      const f = p.findings.findIndex((finding) => finding.print === call.print);
      if (f < 0) return undefined;
      return planned(
        () => decide(world, call.print, call.status),
        (p) => model.decide(p, f, call.status),
      );
    }
  }
  const running = p.scans.filter(({ status }) => status === 'running');
  const candidates = call.scan.running && running.length > 0 ? running : p.scans;
  const scan = candidates.at(-1 - (call.scan.back % candidates.length));
  if (!scan) return undefined;
  const s = p.scans.indexOf(scan);
  switch (call.kind) {
    case 'push':
      return planned(
        () => push(world, scan.id, call.prints, { severity: call.severity }),
        (p) => pushAll(p, s, call.prints, call.severity),
      );
    case 'rename': {
      const { print, to, severity } = call;
      if (sourceOf(print) !== sourceOf(to)) return undefined;
      return planned(
        () => push(world, scan.id, [to], { severity, previous_fingerprints: [print] }),
        (p) => model.push(p, now, s, model.find(p, s, to, sourceOf(to), print), severity),
      );
    }
    case 'end': {
      // Another status than before is a conflict.
      const how = { ...call.end, status: scan.status === 'running' ? call.end.status : scan.status };
      return planned(
        () => end(world, scan.id, how),
        (p) => endOnModel(p, now, s, how),
      );
    }
    case 'crash':
      if (scan.status !== 'running') return undefined;
      return planned(
        () => crash(world, scan.id),
        (p) => model.end(p, now, s, 'completed', false),
      );
  }
}

function endOnModel(p: model.Project, now: number, s: number, { status, hasError }: End): void {
  model.end(p, now, s, status, hasError);
  if (status === 'failed') return;
  model.settle(p);
  model.close(p, now, s);
}

async function register({ org }: World, scan_id: string, scanned: Scanned): Promise<string> {
  const { target, declared, commit } = scanned;
  const sources = declared.length > 0 ? declared : undefined;
  const body = { scan_id, project_id: org.projectId, persona: 'senku', target, commit, sources };
  return must(await t.api.post('/agent/scans', { ...org.asAgent, body })).created_at;
}

async function push({ org }: World, scanId: string, prints: readonly string[], fields: object) {
  if (prints.length === 0) return;
  const findings = prints.map((fingerprint) =>
    finding(org, scanId, { fingerprint, source: sourceOf(fingerprint), ...fields }),
  );
  const { results } = must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }));
  expect(results).toEqual(prints.map(() => expect.objectContaining({ id: expect.any(String) })));
}

async function end(world: World, id: string, { status, hasError }: End) {
  const body = { status, ...(hasError && { error_message: 'Incomplete.' }) };
  const scan = must(await t.api.patch(`/agent/scans/${id}`, { ...world.org.asAgent, body }));
  noteCompleted(world, scan.completed_at);
}

/** The process dies after the completion of a scan. */
async function crash(world: World, scanId: string) {
  const { services } = t;
  const now = services.clock();
  await finishScan(services.database.sql, defineOrgTables(orgSchemaName(world.org.id)), {
    ...{ scanId, status: 'completed', errorMessage: null, now, projectId: null },
  });
  noteCompleted(world, now.toISOString());
}

const noteCompleted = ({ completed, now }: World, time: string) =>
  completed.set(now, (completed.get(now) ?? new Set()).add(time));

async function configure({ org }: World, { closeAfter, defaultRef, trackedRefs }: Partial<model.Settings>) {
  const body = { close_after_scans: closeAfter, default_ref: defaultRef, tracked_refs: trackedRefs };
  must(await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body }));
}

async function decide({ org }: World, print: string, status: string) {
  const [found] = await t.services.database.sql.unsafe(
    `select id from "${orgSchemaName(org.id)}".findings where project_id = $1 and fingerprint = $2`,
    [org.projectId, print],
  );
  must(await t.api.patch(`/findings/${found?.id}`, { ...org.asOwner, body: { status } }));
}

function advance(world: World): void {
  world.now++;
  t.advance(1_000);
}

const ordersOf = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, i) => ordersOf(items.toSpliced(i, 1)).map((others) => [item, ...others]));

/** Makes calls, at the same time if their order makes no difference. */
async function take(world: World, calls: readonly Call[]): Promise<void> {
  const planned = calls.flatMap((call) => plan(world, call) ?? []);
  const after = (order: readonly Planned[]): model.Project => {
    const copy = structuredClone(world.model);
    for (const { apply } of order) apply(copy);
    for (const scan of copy.scans) if (order.some(({ id }) => id === scan.id)) scan.id = 'new';
    return copy;
  };
  const isFree = () => ordersOf(planned).every((order) => isDeepStrictEqual(after(order), after(planned)));
  if (planned.every(({ kind }) => kind !== 'scan') && isFree()) {
    const created = await Promise.all(
      planned.map(async ({ send, ...one }) => ({ ...one, at: await send() })),
    );
    for (const { apply } of created.toSorted((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? -1 : 1)))
      apply(world.model);
    return;
  }
  for (const call of calls) {
    advance(world);
    const one = plan(world, call);
    await one?.send();
    one?.apply(world.model);
  }
}

interface Row {
  status: string;
  regressed: boolean;
  proposed: boolean;
  missing: string | null;
  refs: { series: string; ref: string; tracked: boolean; last: string; missing: string | null }[];
}

/** The findings of the project by fingerprint. A series is named by its first scan. */
async function readFindings(world: World): Promise<Record<string, Row>> {
  const schema = `"${orgSchemaName(world.org.id)}"`;
  const rows = await t.services.database.sql.unsafe<(Row & { id: string; fingerprint: string })[]>(`
    select id, fingerprint, status, regressed, coalesce(proposed, false) as proposed, missing_since as missing, (
      select coalesce(json_agg(json_build_object('series', (
          select scan_id from ${schema}.scans where series_id = e.id order by created_at, scan_id limit 1),
        'ref', e.ref, 'tracked', e.tracked, 'last', r.last_scan_id, 'missing', r.missing_since)), '[]')
      from ${schema}.finding_refs r join ${schema}.series e on e.id = r.series_id where r.finding_id = f.id) as refs
    from ${schema}.findings f where project_id = '${world.org.projectId}'`);
  world.prints = new Map(rows.map(({ id, fingerprint }) => [id, fingerprint]));
  const text = (time: string | null) => time && new Date(time).toISOString();
  return Object.fromEntries(
    rows.map(({ id, fingerprint, missing, refs, ...row }) => [
      fingerprint,
      {
        ...{ ...row, missing: text(missing) },
        refs: refs.map((ref) => ({ ...ref, missing: text(ref.missing) })).toSorted(bySeries),
      },
    ]),
  );
}

const bySeries = (a: { series: string }, b: { series: string }) => (a.series < b.series ? -1 : 1);

/** Expects the findings to be as in the model. */
async function expectFindings(world: World): Promise<void> {
  const { model: p } = world;
  const found = await readFindings(world);
  /** A time as found, if scans of that step have it. */
  const time = (step: number | undefined, actual: string | null | undefined) =>
    step === undefined ? null : world.completed.get(step)?.has(actual ?? '') ? actual : `in step ${step}`;
  const expected = p.findings.map(({ print, status, regressed, proposed, missing, presence }) => {
    const actual = found[print];
    const refs = Object.entries(presence).map(([series, { lastScan, missing }]) => {
      const first = p.scans.find((scan) => scan.series === +series)?.id as string;
      const { ref } = p.series[+series] as model.Project['series'][number];
      const since = actual?.refs.find(({ series }) => series === first)?.missing;
      return {
        ...{ series: first, ref, tracked: model.isTracked(p, ref) },
        ...{ last: p.scans[lastScan]?.id, missing: time(missing, since) },
      };
    });
    const state = { status, regressed, proposed, missing: time(missing, actual?.missing) };
    return [print, { ...state, refs: refs.toSorted(bySeries) }];
  });
  expect(found).toEqual(Object.fromEntries(expected));
}

/** Expects the same answer from the API as from the model. */
async function ask(world: World, question: Question): Promise<void> {
  const { model: p, org, prints } = world;
  const get = async (path: string) => must(await t.api.get(path, org.asOwner));
  const printsOf = (findings: readonly number[]) => findings.map((f) => p.findings[f]?.print).toSorted();
  const listed = (findings: { id: string }[]) => findings.map(({ id }) => prints.get(id)).toSorted();
  switch (question.kind) {
    case 'list': {
      const found = await get(`/findings?project_id=${org.projectId}&ref=${question.ref}&per_page=100`);
      expect(listed(found)).toEqual(printsOf(model.presentOn(p, question.ref)));
      return;
    }
    case 'refs': {
      const f = p.findings.findIndex(({ print }) => print === question.print);
      if (f < 0) return;
      const [id] = [...prints].find(([, print]) => print === question.print) ?? [];
      const found: FindingRef[] = await get(`/findings/${id}/refs`);
      const wanted = model.refsOf(p, f).map(({ lastScans, ...one }) => {
        const last = found.find(({ ref }) => (ref ?? '') === one.ref)?.last_scan_id;
        return { ...one, last: lastScans.includes(last ?? '') ? last : lastScans };
      });
      const shown = found.map(({ ref, last_scan_id, missing_since, tracked }) => ({
        ...{ ref: ref ?? '', tracked, last: last_scan_id, isMissing: missing_since !== null },
      }));
      const byRef = (a: { ref: string }, b: { ref: string }) => (a.ref < b.ref ? -1 : 1);
      expect(shown.toSorted(byRef)).toEqual(wanted.toSorted(byRef));
      return;
    }
    case 'gate': {
      const s = p.scans.length - 1 - question.scan;
      if (!p.scans[s] || p.scans[s].status === 'running') return;
      const severities = SEVERITIES.slice(0, SEVERITIES.indexOf(question.failOn) + 1);
      const base = question.base ? `&base_ref=${question.base}` : '';
      const answer = await get(`/scans/${p.scans[s].id}/gate?fail_on=${question.failOn}${base}`);
      const wanted = model.gate(p, s, severities, question.base);
      expect({ base: answer.base?.scan_id, failing: listed(answer.findings), passed: answer.passed }).toEqual(
        {
          ...{ base: wanted.base, failing: printsOf(wanted.failing), passed: wanted.failing.length === 0 },
        },
      );
    }
  }
}

const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never;

let projects = 0;

/** @returns the position of the step after which a project differs from its model, and how */
async function difference(
  { settings, steps }: Steps,
  inOrg: TestOrg,
): Promise<{ step: number; error: unknown } | undefined> {
  const org = await addProject(t.api, inOrg, `Project ${projects++}`);
  const world: World = { org, model: model.newProject(), prints: new Map(), now: 0, completed: new Map() };
  let step = 0;
  try {
    await take(world, [{ kind: 'settings', change: settings }]);
    for (const { calls, question } of steps) {
      step++;
      advance(world);
      await take(world, calls);
      await expectFindings(world);
      await ask(world, question);
    }
    await expectRightCounts(t.services.database, t.api, org);
  } catch (error) {
    return { step, error };
  }
  return undefined;
}

/** Leaves out steps without which a project still differs. */
async function reduce({ settings, steps }: Steps, org: TestOrg): Promise<Steps> {
  let left = steps;
  const until = Date.now() + REDUCE_MS;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let start = left.length - size; start > -size && Date.now() < until; start -= size) {
      const fewer = left.filter((_, i) => i < start || i >= start + size);
      const found = await difference({ settings, steps: fewer }, org);
      if (found) left = fewer.slice(0, found.step);
    }
  return { settings, steps: left };
}

async function compare({ settings, steps }: Steps, org: TestOrg): Promise<void> {
  const found = await difference({ settings, steps }, org);
  if (!found) return;
  const fewest = await reduce({ settings, steps: steps.slice(0, found.step) }, org);
  const { error } = (await difference(fewest, org)) ?? found;
  const text = [settings, ...fewest.steps].map((step) => JSON.stringify(step)).join('\n');
  throw new Error(`Seed ${SEED}, after these steps:\n${text}`, { cause: error });
}

it('random scans of branches give what the model says', {
  timeout: limit(120_000 + STEPS * 12),
}, async () => {
  const waiting = fc.sample(steps, { seed: SEED, numRuns: Math.ceil(STEPS / LENGTH) });
  const lane = async () => {
    const org = await createOrg(t.api);
    for (let next = waiting.pop(); next; next = waiting.pop()) await compare(next, org);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
});
