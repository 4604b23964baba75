/*
 * A plain model of a project with branches, written from the API contract (docs/api.md: "Branches", "Gates", "Missing findings"). It
 * answers a question by looking at all scans. All of it is plain data, so that it can be copied to see what another order of calls
 * leads to. Times are numbers of steps; scans, series and findings are named by their position.
 */

interface Series {
  key: string;
  /** Empty without one. */
  ref: string;
  /** Whether findings still have the state of before a change of the tracked refs. */
  isPending: boolean;
}

interface Scan {
  id: string;
  series: number;
  baseRef: string | undefined;
  commit: string | undefined;
  declared: readonly string[];
  status: 'running' | 'completed' | 'failed';
  hasError: boolean;
  completedAt: number;
  /** The scans of the series that were complete when it began. */
  after: number[];
  /** The findings that it reported. */
  reported: number[];
}

/** Where a finding is or was present. */
interface Presence {
  lastScan: number;
  lastSeen: number;
  /** The scans of the series that were complete then. */
  after: number[];
  missing: number | undefined;
}

interface Finding {
  print: string;
  source: string;
  severity: string;
  status: string;
  regressed: boolean;
  proposed: boolean;
  missing: number | undefined;
  /** When it was closed automatically. */
  closed: number | undefined;
  /** By series. */
  presence: Record<number, Presence>;
}

export interface Settings {
  defaultRef: string | null;
  trackedRefs: readonly string[];
  closeAfter: number | null;
}

export interface Project extends Settings {
  series: Series[];
  /** In the order in which they began. */
  scans: Scan[];
  findings: Finding[];
}

export const newProject = (): Project => ({
  ...{ defaultRef: null, trackedRefs: [], closeAfter: null },
  ...{ series: [], scans: [], findings: [] },
});

const at = <T>(values: readonly T[], position: number): T => values[position] as T;

/** The patterns of the test have only letters, slashes and asterisks. */
const matches = (ref: string, pattern: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(ref);

/** Whether the state of findings follows a ref. */
export const isTracked = ({ defaultRef, trackedRefs }: Project, ref: string): boolean =>
  [null, ref].includes(defaultRef) || ref === '' || trackedRefs.some((pattern) => matches(ref, pattern));

const follows = (p: Project, series: number) => isTracked(p, at(p.series, series).ref);

/** Where a finding is or was present: in all series, or in those that count. */
const placesOf = ({ presence }: Finding) =>
  Object.entries(presence).map(([series, there]) => ({ series: +series, ...there }));
const tracked = (p: Project, finding: Finding) =>
  placesOf(finding).filter(({ series }) => follows(p, series));

/** Whether a scan says what is not there. */
const isComplete = ({ status, hasError }: Scan) => status === 'completed' && !hasError;
const completeIn = ({ scans }: Project, series: number) =>
  [...scans.keys()].filter((s) => at(scans, s).series === series && isComplete(at(scans, s)));

/** The sources of which a scan says something. */
const sourcesOf = (p: Project, { declared, reported }: Scan) =>
  new Set([...declared, ...reported.map((f) => at(p.findings, f).source)]);

/** The complete scans of a series that looked for a source, the latest first. */
const comparable = (p: Project, series: number, source: string) =>
  p.scans
    .filter((scan) => scan.series === series && isComplete(scan) && sourcesOf(p, scan).has(source))
    .toReversed();

export interface Target {
  ref?: string;
  path: string;
  category?: string;
  base_ref?: string;
  default_ref?: string;
}

export function register(
  p: Project,
  { target, ...scan }: Pick<Scan, 'id' | 'commit' | 'declared'> & { target: Target },
): void {
  const { base_ref: baseRef, default_ref: defaultRef } = target;
  if (defaultRef !== undefined && p.defaultRef === null) change(p, { defaultRef });
  const series = seriesOf(p, target);
  p.scans.push({
    ...{ ...scan, baseRef, series, after: completeIn(p, series), reported: [] },
    ...{ status: 'running', hasError: false, completedAt: Infinity },
  });
}

/** A scan that names the default branch or a category for the first time continues the scans that named none. */
function seriesOf(p: Project, { ref = '', path, category = '' }: Target): number {
  const keyOf = (ref: string, category: string) => [path, ref, category].join(' ');
  const find = (key: string) => p.series.findIndex((one) => one.key === key);
  const key = keyOf(ref, category);
  if (find(key) >= 0) return find(key);
  const vaguer = [keyOf(ref, ''), keyOf('', category), keyOf('', '')]
    .map(find)
    .find((one) => one >= 0 && (at(p.series, one).ref === ref || [null, ref].includes(p.defaultRef)));
  if (vaguer === undefined) return p.series.push({ key, ref, isPending: false }) - 1;
  Object.assign(at(p.series, vaguer), { key, ref });
  return vaguer;
}

/**
 * The finding that a scan reports. One that is known by a previous fingerprint takes the new one; for a branch, only if it is proposed,
 * because the default branch still reports it. Two findings of one scan never become one.
 */
export function find(p: Project, s: number, print: string, source: string, previous?: string): number {
  const { series } = at(p.scans, s);
  const known = p.findings.findIndex((finding) => finding.print === print);
  const former = p.findings.findIndex((finding) => finding.print === previous);
  const finding = p.findings[former];
  if (known >= 0) return known;
  if (finding && (finding.proposed || follows(p, series))) {
    finding.print = print;
    return former;
  }
  if (finding && finding.presence[series]?.lastScan !== s) return former;
  const state = { status: 'open', regressed: false, proposed: true, missing: undefined, closed: undefined };
  return p.findings.push({ print, source, severity: '', ...state, presence: {} }) - 1;
}

export function push(p: Project, now: number, s: number, f: number, severity: string): void {
  const scan = at(p.scans, s);
  const finding = at(p.findings, f);
  scan.reported = [...new Set([...scan.reported, f])].sort((a, b) => a - b);
  finding.severity = severity;
  const known = finding.presence[scan.series];
  const after = completeIn(p, scan.series);
  // A finding counts once for a scan that reports it twice.
  if (known?.lastScan !== s || known.missing !== undefined)
    finding.presence[scan.series] = { lastScan: s, lastSeen: now, after, missing: undefined };
  if (!follows(p, scan.series)) return;
  if (['fixed', 'verified'].includes(finding.status)) finding.regressed = true;
  Object.assign(finding, { proposed: false, missing: undefined });
}

/** Ends a scan, or repeats its end: marks what a complete scan left out. */
export function end(p: Project, now: number, s: number, status: 'completed' | 'failed', hasError: boolean) {
  const scan = at(p.scans, s);
  if (scan.status === 'running') Object.assign(scan, { status, hasError, completedAt: now });
  if (!isComplete(scan)) return;
  const since = p.scans.slice(s).filter(({ series }) => series === scan.series);
  for (const [f, finding] of p.findings.entries()) {
    const there = finding.presence[scan.series];
    if (!there || there.missing !== undefined || !sourcesOf(p, scan).has(finding.source)) continue;
    if (there.after.includes(s) || since.some(({ reported }) => reported.includes(f))) continue;
    there.missing = scan.completedAt;
    const isGone = tracked(p, finding).every(({ missing }) => missing !== undefined);
    if (follows(p, scan.series) && isGone) finding.missing ??= scan.completedAt;
  }
}

/** Closes what is missing long enough, after a scan. */
export function close(p: Project, now: number, s: number): void {
  const scan = at(p.scans, s);
  const { closeAfter } = p;
  if (closeAfter === null || !isComplete(scan) || !follows(p, scan.series)) return;
  for (const [f, finding] of p.findings.entries()) {
    const { source, status, regressed, missing, closed, presence } = finding;
    if (!sourcesOf(p, scan).has(source) || !presence[scan.series] || missing === undefined) continue;
    if (!['open', 'confirmed'].includes(status) && !regressed) continue;
    // Somebody has opened it again.
    if (closed !== undefined && closed >= missing) continue;
    const isLongGone = tracked(p, finding).every(({ series, missing }) => {
      const all = comparable(p, series, source);
      const isEmpty = (i: number) => all[i]?.reported.length === 0;
      if (isEmpty(0) && !isEmpty(1) && closeAfter <= 2) return false;
      const needed = isEmpty(0) ? Math.max(closeAfter, 2) : closeAfter;
      const isLeftOut = all.slice(0, needed).every(({ reported }) => !reported.includes(f));
      return isLeftOut && missing !== undefined && missing <= (all[needed - 1]?.completedAt ?? -1);
    });
    if (isLongGone) Object.assign(finding, { status: 'fixed', regressed: false, closed: now });
  }
}

/** @returns the series to settle: those that have become tracked, and those that are not any more */
export function change(p: Project, settings: Partial<Settings>): number[] {
  const before = p.series.map((_, i) => follows(p, i));
  Object.assign(p, settings);
  const changed = [...p.series.keys()].filter((i) => follows(p, i) !== before[i]);
  for (const i of changed) at(p.series, i).isPending = true;
  return changed;
}

/** Derives the state of the findings of series again. Default: of all that are pending. */
export function settle(p: Project, changed: readonly number[] = [...p.series.keys()]): void {
  for (const i of changed.filter((i) => at(p.series, i).isPending)) {
    at(p.series, i).isPending = false;
    for (const finding of p.findings.filter(({ presence }) => presence[i])) {
      const places = tracked(p, finding);
      const missing = Math.max(...places.map(({ missing }) => missing ?? Infinity));
      finding.proposed = places.length === 0 && !finding.regressed;
      finding.missing = Number.isFinite(missing) ? (finding.missing ?? missing) : undefined;
    }
  }
}

export function decide({ findings }: Project, f: number, status: string): void {
  const regressed = ['open', 'confirmed'].includes(status) && at(findings, f).regressed;
  Object.assign(at(findings, f), { status, regressed });
}

/** Whether scans of a series are of a ref. Scans without one are of the default branch. */
const isOf = (p: Project, series: number, ref: string) =>
  [ref, ref === p.defaultRef ? '' : ref].includes(at(p.series, series).ref);

/** The findings that are present on a ref. */
export const presentOn = (p: Project, ref: string): number[] =>
  [...p.findings.keys()].filter((f) =>
    placesOf(at(p.findings, f)).some((one) => one.missing === undefined && isOf(p, one.series, ref)),
  );

/** The refs of a finding. `lastScans` has several if they reported it in one step. */
export const refsOf = (p: Project, f: number) =>
  [...new Set(p.series.map(({ ref }) => ref))].flatMap((ref) => {
    const there = placesOf(at(p.findings, f)).filter(({ series }) => at(p.series, series).ref === ref);
    const latest = Math.max(...there.map(({ lastSeen }) => lastSeen));
    const last = there.filter(({ lastSeen }) => lastSeen === latest);
    const isMissing = there.every(({ missing }) => missing !== undefined);
    const lastScans = last.map(({ lastScan }) => at(p.scans, lastScan).id);
    return there.length > 0 ? [{ ref, lastScans, isMissing, tracked: isTracked(p, ref) }] : [];
  });

/** The gate of an ended scan: the id of its base, and the findings that fail it. */
export function gate(p: Project, s: number, severities: readonly string[], given: string | undefined) {
  const scan = at(p.scans, s);
  const baseRef = given ?? scan.baseRef ?? p.defaultRef;
  const counted = scan.reported.filter((f) => {
    const { severity, status } = at(p.findings, f);
    return severities.includes(severity) && !['false_positive', 'wontfix'].includes(status);
  });
  if (baseRef !== null && !isOf(p, scan.series, baseRef)) {
    const base = p.scans.findLast(({ status, series }) => status === 'completed' && isOf(p, series, baseRef));
    const present = base ? presentOn(p, baseRef) : [];
    return { base: base?.id, failing: counted.filter((f) => !present.includes(f)) };
  }
  // All runs on a commit have the same base.
  const isRun = ({ series, commit }: Scan) =>
    series === scan.series && commit !== undefined && commit === scan.commit;
  const { after } = p.scans.find(isRun) ?? scan;
  const earlier = after.map((i) => at(p.scans, i)).filter(({ commit }) => commit !== scan.commit);
  const baseOf = (source: string) =>
    comparable(p, scan.series, source).find((other) => earlier.includes(other));
  const bases = [...sourcesOf(p, scan)].map(baseOf);
  const failing = counted.filter((f) => !baseOf(at(p.findings, f).source)?.reported.includes(f));
  return { base: p.scans.findLast((other) => bases.includes(other))?.id, failing };
}
