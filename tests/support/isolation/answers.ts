import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../api/api.ts';
import type { Call } from './call.ts';
import { type Admitted, isSeen, RANK, verdict } from './guard.ts';
import { view } from './view.ts';
import { type EndpointName, type Facts, idOf, marksIn, ORGS, type OrgFacts } from './world.ts';

/** The refusals that a call gets only if the model says so. */
const isRefusal = ({ status, error = '' }: Pick<Answer, 'status' | 'error'>, { kind }: Admitted) =>
  status === 403 ||
  (status === 404 && kind !== 'nobody') ||
  status >= 500 ||
  (status === 401 && !/invalid_credentials|mfa_invalid_code/.test(error));

/** A call that was answered. */
export interface Answered {
  call: Call;
  answer: Answer;
}

/** Everything that is wrong with a response. */
export function answerFaults({ call, answer }: Answered, before: Facts, after: Facts): string[] {
  const { admitted, reason } = verdict(call, before);
  const { org } = admitted;
  const { status, error, text } = answer;
  const said = `${status} ${error ?? ''}`.trim();
  const reads = call.endpoint.method === 'GET';
  const found: string[] = [];
  if (reason && admitted.kind === 'user') {
    // A wrong password comes first, and the API contract wants 400 of set-primary.
    if (status < 400) found.push(`answered ${said} about what is another's`);
  } else if (reason) {
    if (said !== reason.join(' ')) found.push(`answered ${said} instead of ${reason.join(' ')}`);
  } else if (reads) {
    if (status !== 200) found.push(`answered ${said} instead of 200`);
  } else if (call.body?.claim?.mixed ? status < 400 : isRefusal(answer, admitted)) {
    found.push(`answered ${said}, unexpectedly`);
  }

  const sees = view(call, admitted, before, after);
  for (const mark of marksIn(text)) if (!sees(mark)) found.push(`showed ${mark}`);
  for (const other of ORGS)
    if (text.includes(idOf('org', other)) && !sees(`secret.${other}`))
      found.push(`showed the id of ${other}`);
  if (reason || !org || status >= 400) return found;

  const isOfRow = reads && /(?:projects|scans|findings|exploits)\/\{\w+\}$/.test(call.endpoint.path);
  if (isOfRow && !marksIn(text).some((mark) => mark.startsWith(`secret.${org}`)))
    found.push(`did not show ${org}'s own`);
  // Unless others wrote meanwhile.
  if (!isDeepStrictEqual(before.orgs[org], after.orgs[org])) return found;
  const [shown, expected] =
    WHOLE[call.picks.endpoint]?.(
      answer.result,
      within(call, before.orgs[org], admitted),
      idOf('user', admitted.user ?? ''),
    ) ?? [];
  if (!isDeepStrictEqual(shown, expected))
    found.push(`showed ${JSON.stringify(shown)} instead of ${JSON.stringify(expected)}`);
  return found;
}

/** The part that a caller sees on an endpoint. */
function within({ endpoint: { access } }: Call, org: OrgFacts, { reach, user }: Admitted): OrgFacts {
  if (!reach || access.kind !== 'cookieOrg') return org;
  const least = RANK.indexOf(access.role);
  const isReached = (id: string) => reach[id] !== undefined && RANK.indexOf(reach[id]) >= least;
  const only = <T>(of: Record<string, T>, sees: (key: string, value: T) => boolean) =>
    Object.fromEntries(Object.entries(of).filter(([key, value]) => sees(key, value)));
  const caller = user && idOf('user', user);
  return {
    ...org,
    projects: only(org.projects, isReached),
    findings: only(org.findings, (_, project) => isReached(project)),
    scans: only(org.scans, (_, project) => isReached(project)),
    members: only(org.members, (id) => id === caller || isSeen(org, id, reach)),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever came back
type Whole = (result: any, org: OrgFacts, caller: string) => [shown: unknown, expected: unknown];

const sorted = (ids: Iterable<string>) => [...ids].sort();
const idsOf = (rows: { id: string }[]) => sorted(rows.map(({ id }) => id));
// biome-ignore lint/suspicious/noExplicitAny: whatever came back
const mapOf = (rows: any[], key: string, value: (row: any) => unknown) =>
  Object.fromEntries(rows.map((row) => [row[key], value(row)]));

const DAY = 86_400_000;
/** The day in which an id was made. */
const dayOf = (id: string) => Math.floor(Number.parseInt(id.replace('-', '').slice(0, 12), 16) / DAY);

/** Responses without marks, compared in full. */
const WHOLE: Partial<Record<EndpointName, Whole>> = {
  dashboardStats: ({ total_findings, total_scans, severity_breakdown }, { findings, scans }) => [
    [total_findings, severity_breakdown.total, total_scans],
    [Object.keys(findings).length, Object.keys(findings).length, Object.keys(scans).length],
  ],
  dashboardTrend: (rows: { total: number }[], { findings }) => [
    rows.reduce((sum, { total }) => sum + total, 0),
    // The findings of the world are older, some of a demo are, too.
    Object.keys(findings).filter((id) => dayOf(id) > Math.floor(Date.now() / DAY) - 30).length,
  ],
  dashboardProjects: (rows, { projects, findings }) => [
    Object.fromEntries(
      (rows as { project: { id: string }; total: number }[]).map(({ project, total }) => [project.id, total]),
    ),
    Object.fromEntries(
      Object.keys(projects).map((id) => [id, Object.values(findings).filter((of) => of === id).length]),
    ),
  ],
  // It changes all named findings that exist, and nothing else.
  updateFindings: ({ updated, failed }: Record<string, { id: string }[]>, { findings }) => [
    [updated, failed].map((some = []) => some.map(({ id }) => id in findings)),
    [updated?.map(() => true), failed?.map(() => false)],
  ],
  listViews: (rows, { views }, own) => [
    idsOf(rows),
    sorted(Object.keys(views).filter((id) => views[id]?.shared || views[id]?.owner === own)),
  ],
  listRules: ({ rules: rows }, { rules }) => [idsOf(rows), sorted(Object.keys(rules))],
  listWebhooks: (rows, { webhooks }) => [idsOf(rows), sorted(Object.keys(webhooks))],
  listIntegrations: (rows, { integrations }) => [idsOf(rows), sorted(Object.keys(integrations))],
  listProjects: (rows, { projects }) => [idsOf(rows), sorted(Object.keys(projects))],
  listMembers: (rows, { members }) => [
    mapOf(rows, 'user_id', ({ role }) => role),
    Object.fromEntries(Object.entries(members).map(([id, { role }]) => [id, role])),
  ],
  listTokens: (rows, { tokens }) => [
    mapOf(rows, 'id', ({ project_id }) => project_id || null),
    Object.fromEntries(Object.entries(tokens).map(([id, { project }]) => [id, project])),
  ],
  listOrgFeatures: (rows, { flags }) => [
    mapOf(rows, 'name', ({ enabled, provisioned }) => enabled && provisioned),
    flags,
  ],
};
