import type { EventBody } from '../events/body.ts';
import { withoutMentions } from '../findings/triage/mentions.ts';
import { person } from '../mail/templates/letter.ts';
import { groupOf, type MailedFinding, quoted, withTitle } from '../mail/templates/notifications.ts';
import type { NotificationKind } from './settings.ts';

/** The content of a notice, for a mail of its own and for a line of a digest. Texts from others are cut and have no links. */
export interface Summary {
  subject: string;
  intro: string[];
  group: string;
  /** The project that `line` is about. */
  projectId?: string;
  findings: readonly MailedFinding[];
  total: number;
  /** The line of a digest. */
  line: string;
  button: { label: string; url: string };
}

interface Context {
  org: { slug: string; name: string };
  base: string;
  names: ReadonlyMap<string, string>;
}

type BodyOf<Type extends string> = Extract<EventBody, { type: Type }>;
type Finding = MailedFinding & { project_id: string };

const MAX_TITLE = 150;
const MAX_COMMENT = 500;
const MAX_ERROR = 300;
const MAX_NAME = 100;

const many = (count: number, one: string, more = `${one}s`) =>
  count === 1 ? `1 ${one}` : `${count} ${more}`;

/** The summary of an event about which somebody has chosen mails of some kinds. @param critical the same event, of critical findings only */
export function summaryOf(
  context: Context,
  body: EventBody,
  kinds: readonly NotificationKind[],
  critical?: EventBody,
): Summary {
  switch (body.type) {
    case 'finding.assigned':
      return ofFindings(context, body.data, {
        lead: ['A finding was assigned to you', 'findings were assigned to you'],
        intro: `${actorText(body.data.actor)} assigned to you:`,
        query: 'assignee=me',
      });
    case 'finding.due_soon':
      return ofFindings(context, body.data, {
        lead: ['A finding is due within three days', 'findings are due within three days'],
        intro: 'Assigned to you:',
        query: 'assignee=me',
      });
    case 'finding.overdue':
      return ofFindings(context, body.data, {
        lead: ['A finding is overdue', 'findings are overdue'],
        intro: 'Assigned to you:',
        query: 'assignee=me&overdue=true',
      });
    case 'finding.commented':
      return ofComment(context, body);
    case 'scan.completed':
      return ofScan(context, body, kinds, critical);
    case 'scan.failed':
      return ofFailure(context, body);
    default:
      throw new Error(`no mail is about ${body.type}`);
  }
}

const actorText = ({ name, type }: { name?: string | undefined; type: string }) =>
  (name === undefined ? '' : person(name)) || (type === 'user' ? 'A former user' : 'The service');

const groupOfProject = ({ org, names }: Context, projectIds: readonly string[]): string => {
  const [first = '', ...others] = [...new Set(projectIds)];
  return groupOf(org, others.length > 0 ? 'several projects' : names.get(first));
};

function ofFindings(
  context: Context,
  { findings, total }: { findings: readonly Finding[]; total: number },
  { lead: [one, more], intro, query }: { lead: [one: string, more: string]; intro: string; query: string },
): Summary {
  const [first] = findings;
  const { title = '', url = context.base, project_id: projectId } = first ?? {};
  const isOne = total === 1;
  const lead = isOne ? one : `${total} ${more}`;
  return {
    subject: isOne ? withTitle(lead, title) : lead,
    intro: [`${lead}.`, intro],
    group: groupOfProject(
      context,
      findings.map(({ project_id }) => project_id),
    ),
    ...{ findings, total, ...(projectId !== undefined && { projectId }) },
    line: `${lead}: ${quoted(title, MAX_TITLE)}${isOne ? '' : ` and ${total - 1} more`}`,
    button: isOne
      ? { label: 'Open the finding', url }
      : { label: 'Open the findings', url: `${context.base}/findings?${query}` },
  };
}

function ofComment(context: Context, { data }: BodyOf<'finding.commented'>): Summary {
  const { actor, finding, comment } = data;
  const text = quoted(withoutMentions(comment.text), MAX_COMMENT);
  const by = actorText(actor);
  return {
    subject: withTitle('You were mentioned', finding.title),
    intro: [`${by} mentioned you in a comment:`, text],
    ...{ group: groupOfProject(context, [finding.project_id]), projectId: finding.project_id },
    ...{ findings: [finding], total: 1 },
    line: `${by} mentioned you: ${quoted(finding.title, MAX_TITLE)}`,
    button: { label: 'Open the finding', url: finding.url },
  };
}

function ofScan(
  context: Context,
  { data }: BodyOf<'scan.completed'>,
  kinds: readonly NotificationKind[],
  critical: EventBody | undefined,
): Summary {
  const { scan, findings, regressed } = data;
  const isCritical = kinds.includes('new_critical');
  const isRegressed = kinds.includes('regressed');
  const count = isCritical && critical?.type === 'scan.completed' ? critical.data.new : 0;
  const listed = findings.filter(
    (finding) =>
      (isCritical && finding.severity === 'critical' && !finding.regressed) ||
      (isRegressed && finding.regressed),
  );
  const parts = [
    ...(count > 0 ? [many(count, 'new critical finding')] : []),
    ...(isRegressed ? [many(regressed, 'regressed finding')] : []),
  ];
  const lead = parts.join(' and ');
  const name = quoted(scan.name, MAX_NAME);
  return {
    subject: withTitle(lead, scan.project),
    intro: [`The scan “${name}” has ${lead}.`],
    ...{ group: groupOf(context.org, scan.project), projectId: scan.project_id },
    ...{ findings: listed, total: count + (isRegressed ? regressed : 0) },
    line: `${lead} in the scan “${name}”`,
    button: { label: 'Open the scan', url: scan.url },
  };
}

function ofFailure(context: Context, { data: { scan } }: BodyOf<'scan.failed'>): Summary {
  const name = quoted(scan.name, MAX_NAME);
  const { error_message: error } = scan;
  return {
    subject: withTitle('A scan failed', scan.project),
    intro: [`The scan “${name}” failed.`, ...(error ? [`Its error: ${quoted(error, MAX_ERROR)}`] : [])],
    ...{ group: groupOf(context.org, scan.project), projectId: scan.project_id },
    ...{ findings: [], total: 0 },
    line: `The scan “${name}” failed`,
    button: { label: 'Open the scan', url: scan.url },
  };
}
