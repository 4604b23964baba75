import {
  CHANGED_STATUSES,
  FINDING_STATUSES,
  PERSONAS,
  SCAN_STATUSES,
  SEVERITIES,
  TRIAGE_REASONS,
} from '../../db/schema/values.ts';
import { AUDIT_ACTIONS, AUDIT_TARGETS, type AuditAction } from '../audit/actions.ts';
import { SeveritySummary } from '../resources.ts';
import { count, id, shown, timestamp, z } from '../schema.ts';
import { isInGroup } from './types.ts';

/** The author of an event. */
const EventActor = z
  .object({
    type: z.enum(['user', 'token', 'rule', 'system']),
    id: id().optional(),
    name: shown('Ada Lovelace').optional(),
  })
  .openapi('EventActor', {
    description:
      'A user whose account was deleted has no name. A token of a change of a project has one for admins only.',
  });

const url = (page: string) =>
  shown(
    `https://findings.example.com/o/acme/${page}/01890a5d-ac96-774b-bcce-b302099a8057`,
    'The page in the web UI.',
  );

const findingShape = {
  id: id(),
  title: shown('SQL injection in search'),
  severity: z.enum(SEVERITIES),
  project_id: id(),
  source: shown('semgrep').optional(),
  file: shown('src/search.ts').optional(),
  line: z.int().optional().openapi({ example: 42 }),
  url: url('findings'),
};

const status = () => z.enum(FINDING_STATUSES);
const reason = () => z.enum(TRIAGE_REASONS).optional();
const note = () => shown('Only reachable from tests.', 'The first 1,000 characters.').optional();
const total = () => count(1).openapi({ description: 'The findings of the event, listed or not.' });
/** The findings of an event. */
const findings = <Shape extends z.ZodRawShape>(shape: Shape, name: string) =>
  z
    .array(z.object(shape).openapi(name))
    .openapi({ description: 'The first 100 of its findings, the most severe first.' });
const changeId = () =>
  id().optional().openapi({ description: 'For `POST /changes/{id}/undo`, if a user made the change.' });

/** An event of a type. */
const event = <Type extends z.ZodType, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({
    id: id().openapi({ description: 'The same each time the event is sent.' }),
    type,
    timestamp: timestamp(),
    organization: z
      .object({ id: id(), slug: shown('acme'), name: shown('Acme') })
      .openapi('EventOrganization'),
    data: z.object(data),
  });

const EventScan = z
  .object({
    id: shown('01890a5d-ac96-774b-bcce-b302099a8057'),
    project_id: id(),
    project: shown('Web shop', 'The name of the project.'),
    name: shown('Nightly audit'),
    persona: z.enum(PERSONAS),
    status: z.enum(SCAN_STATUSES),
    error_message: shown('2 of 31 files could not be parsed.').optional(),
    ref: shown('main').optional(),
    commit: shown('4f2a9c1e6d8b7a5039c1e2f4a6b8d0c2e4f6a8b0').optional(),
    summary: SeveritySummary.optional(),
    completed_at: timestamp().optional(),
    url: url('scans'),
  })
  .openapi('EventScan');

const scanData = {
  scan: EventScan,
  new: count(3).openapi({
    description: 'Findings that no scan has reported before. At most 10,000 are counted.',
  }),
  regressed: count(1).openapi({
    description: 'Findings that were fixed or verified before. At most 10,000 are counted.',
  }),
  findings: z
    .array(
      z
        .object({ ...findingShape, status: status(), regressed: z.boolean().openapi({ example: false }) })
        .openapi('EventScanFinding'),
    )
    .openapi({ description: 'The first 100 new and regressed findings, the most severe first.' }),
};

const ScanCompleted = event(z.literal('scan.completed'), scanData).openapi('ScanCompletedEvent');
const ScanFailed = event(z.literal('scan.failed'), scanData).openapi('ScanFailedEvent');

const StatusChanged = event(z.literal('finding.status_changed'), {
  actor: EventActor,
  change_id: changeId(),
  findings: findings(
    {
      ...findingShape,
      status: z.object({ from: z.enum(CHANGED_STATUSES), to: z.enum(CHANGED_STATUSES) }).openapi({
        description:
          'From `regressed`: the finding had regressed, and was resolved again with the status that it had. To `regressed`: that was undone.',
      }),
      reason: reason(),
      note: note(),
    },
    'EventStatusFinding',
  ),
  total: total(),
}).openapi('FindingStatusChangedEvent');

const Assigned = event(z.literal('finding.assigned'), {
  actor: EventActor,
  change_id: changeId(),
  findings: findings(
    {
      ...findingShape,
      assignee: z
        .object({ from: id().optional(), to: id().optional() })
        .openapi({ description: 'Ids of users. `to` is absent if the finding has no assignee any more.' }),
    },
    'EventAssignedFinding',
  ),
  total: total(),
}).openapi('FindingAssignedEvent');

const Commented = event(z.literal('finding.commented'), {
  actor: EventActor,
  finding: z.object(findingShape).openapi('EventFinding'),
  comment: z.object({
    id: id(),
    text: shown('Can we fix this in **2.4**?', 'Markdown.'),
    mentions: z.array(id()).openapi({ description: 'The ids of the users that the comment mentions.' }),
  }),
}).openapi('FindingCommentedEvent');

const dueData = {
  findings: findings({ ...findingShape, due_at: timestamp().optional() }, 'EventDueFinding'),
  total: total(),
};
const DueSoon = event(z.literal('finding.due_soon'), dueData).openapi('FindingDueSoonEvent');
const Overdue = event(z.literal('finding.overdue'), dueData).openapi('FindingOverdueEvent');

const RiskAcceptanceEnded = event(z.literal('finding.risk_acceptance_ended'), {
  findings: findings(findingShape, 'EventFinding'),
  total: total(),
}).openapi('FindingRiskAcceptanceEndedEvent');

type Group = 'member' | 'token' | 'project';
type ActionOf<G extends Group> = Extract<AuditAction, `${G}.${string}`>;

const actionsOf = <G extends Group>(group: G) =>
  AUDIT_ACTIONS.filter((action): action is ActionOf<G> => action.startsWith(`${group}.`));
const isOther = (action: AuditAction): action is Exclude<AuditAction, ActionOf<Group>> => !isInGroup(action);

const ONLY_AUDIT = 'For receivers with `audit.*` only.';

/** An event of an entry of the audit log. */
const audited = <A extends AuditAction>(actions: A[]) =>
  event(z.enum(actions), {
    actor: EventActor,
    target: z
      .object({
        type: z.enum(AUDIT_TARGETS),
        id: shown('0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07').optional(),
        name: shown('web-shop').optional(),
      })
      .openapi('EventTarget'),
    changes: z
      .record(z.string(), z.object({ from: z.unknown().optional(), to: z.unknown().optional() }))
      .openapi({
        description:
          'Fields with their values before (`from`) and after (`to`), as in the audit log. Admins get all, others some of projects.',
        example: { name: { from: 'Shop', to: 'Web shop' } },
      }),
    ip: shown('203.0.113.7', ONLY_AUDIT).optional(),
    user_agent: shown('Mozilla/5.0', ONLY_AUDIT).optional(),
    request_id: shown('req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b', ONLY_AUDIT).optional(),
  });

const MemberEvent = audited(actionsOf('member')).openapi('MemberEvent');
const TokenEvent = audited(actionsOf('token')).openapi('TokenEvent');
const ProjectEvent = audited(actionsOf('project')).openapi('ProjectEvent');
const AuditEvent = audited(AUDIT_ACTIONS.filter(isOther)).openapi('AuditEvent', {
  description: 'Any other entry of the audit log. For receivers with `audit.*` only.',
});

/** The body of an event, by its `type`. */
export const Event = z
  .discriminatedUnion('type', [
    ScanCompleted,
    ScanFailed,
    StatusChanged,
    Assigned,
    Commented,
    DueSoon,
    Overdue,
    RiskAcceptanceEnded,
    MemberEvent,
    TokenEvent,
    ProjectEvent,
    AuditEvent,
  ])
  .openapi('Event');

export type EventBody = z.output<typeof Event>;
