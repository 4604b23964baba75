import type { Db } from '../../../db/client.ts';
import { takesRoom } from '../../../db/projects/deletion.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { newValues } from '../../../lib/http/audit.ts';
import type { SessionMemberCall } from '../../../lib/http/call.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { requireOrgRole } from '../../../lib/http/org-role.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import type { Org } from '../../../lib/orgs/directory.ts';
import { withOwnTables } from '../../../lib/orgs/tables.ts';
import { projectSlug, readProject, requireProject } from '../../../lib/projects/projects.ts';
import { transferInRequest } from '../../../lib/projects/transfer/run.ts';
import { type Refused, startTransfer } from '../../../lib/projects/transfer/start.ts';
import { ProjectTransfer } from '../../../lib/projects/transfer/state.ts';
import { requireRoom } from '../../../lib/quotas.ts';
import { optional, text, z } from '../../../lib/schema.ts';

const NewTransfer = z
  .object({
    organization: text({ max: 50, example: 'acme-labs' }).openapi({
      description: 'The slug of the organization that gets the project. The caller must be an owner of it.',
    }),
    confirm: text({ max: 50, example: 'web-shop' }).openapi({ description: 'The slug of the project.' }),
    slug: optional(projectSlug()).openapi({
      description: 'The slug of the project in the other organization. By default it keeps its slug.',
    }),
  })
  .openapi('NewProjectTransfer', { example: { organization: 'acme-labs', confirm: 'web-shop' } });

export const startProjectTransfer = endpoint(
  {
    method: 'post',
    path: '/projects/{slug}/transfer',
    access: freshCookieOrg('owner', 'none'),
    audit: 'project.transfer_started',
    tag: 'Projects',
    summary: 'Transfer a project to another organization',
    description:
      'For owners of both organizations. Takes the slug or the id of the project. Moves the project with its findings, scans, exploits, activity, comments and due dates; ids stay. Until the transfer is complete, the project is shown in this organization only and takes no changes: 409 `conflict`. Then it is shown in the other organization only. All owners of this organization get a mail. Its tokens are revoked, running scans fail, and assignees who are not members of the other organization are removed. Small projects are moved at once: `state` is `done`. Answers 409 `conflict` when the project is being transferred already, or the other organization has reached its limit of projects; 409 `already_exists` when it has a project with the slug; 429 `exceeded` when it is above its storage quota.',
    request: {
      params: z.object({ slug: text({ max: 50, example: 'web-shop' }) }),
      body: NewTransfer,
    },
    storage: 'removes',
    responses: { 200: { description: 'The transfer.', result: ProjectTransfer } },
    errors: ['resource_error/already_exists', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, db, now, org: source, params, services } = call;
    const project = await readProject(db, source.tables, params.slug);
    if (body.confirm !== project.slug) throw invalid('confirm', 'must be the slug of the project');
    const { target, name } = await requireTarget(call, body.organization);
    services.storage.require(target, true);
    const slug = body.slug ?? project.slug;
    const findings = await call.audited(
      (inside) =>
        startTransfer(inside.db, {
          ...{ source, target, project, slug, actor: call.freshActor() },
          requireRoom: (tx) =>
            requireRoom(
              tx,
              services.config,
              'projectsPerOrg',
              target.tables.projects,
              takesRoom(target.tables),
            ),
        }),
      (count) =>
        typeof count === 'string'
          ? undefined
          : {
              target: { type: 'project', id: project.id, name: project.slug },
              changes: newValues({ organization: target.slug, slug, findings: count }),
            },
    );
    if (typeof findings === 'string') throw refusal(findings);
    services.mail.kick();
    const about = { project: project.id, project_slug: project.slug, to_org: target.id };
    logSecurityEvent(call, 'project_transfer_started', about);
    const isDone = await transferInRequest(services, { org: source, projectId: project.id, findings });
    if (isDone) await requireArrived(db, target, project.id);
    return ok({
      project_id: project.id,
      organization: { slug: target.slug, name },
      ...{ slug, findings, copied: isDone ? findings : 0 },
      state: isDone ? ('done' as const) : ('waiting' as const),
      started_at: now.toISOString(),
    });
  },
);

/** @throws ApiError as `requireOrgRole`; `validation_error/field_invalid` if it is the same organization */
async function requireTarget(call: SessionMemberCall, slug: string): Promise<{ target: Org; name: string }> {
  const { org, shown } = await requireOrgRole(call, slug, 'owner');
  if (shown.deleted_at) throw new ApiError('tenant_error/deleted');
  if (org.id === call.org.id) throw invalid('organization', 'is the organization that the project is in');
  const target = await withOwnTables(call.services, org);
  return { target: { ...target, slug: shown.slug }, name: shown.name };
}

/** @throws ApiError `resource_error/conflict` if the transfer was cancelled */
async function requireArrived(db: Db, target: Org, projectId: string): Promise<void> {
  await requireProject(db, target, projectId).catch((error) => {
    const isMissing = error instanceof ApiError && error.key === 'resource_error/not_found';
    throw isMissing
      ? new ApiError('resource_error/conflict', { message: 'The transfer was cancelled at this moment.' })
      : error;
  });
}

function refusal(why: Refused): ApiError {
  if (why === 'denied') return new ApiError('permission_error/denied');
  if (why === 'deleted') return new ApiError('tenant_error/deleted');
  if (why === 'taken')
    return new ApiError('resource_error/already_exists', {
      message: 'The other organization has a project with this slug. Give another one as slug.',
    });
  return new ApiError('resource_error/conflict', {
    message: 'The project is being transferred already, or was changed at this moment.',
  });
}

const invalid = (field: string, message: string) =>
  new ApiError('validation_error/field_invalid', { details: [{ field, message }] });
