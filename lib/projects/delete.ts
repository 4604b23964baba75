import type { Db } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import { markDeleted } from '../../db/projects/deletion.ts';
import type { Org } from '../orgs/directory.ts';
import { type Actor, mailControl } from '../orgs/notices.ts';

/**
 * Deletes a project, and tells all owners of the organization.
 * @param project.slug as the actor has confirmed it
 * @returns how many tokens were revoked; undefined if the project was changed meanwhile, or is being transferred
 */
export const deleteProject = (
  db: Db,
  org: Org,
  { id: projectId, slug }: { id: string; slug: string },
  actor: Actor,
): Promise<number | undefined> =>
  retried(() =>
    db.transaction(async (tx) => {
      const named = { orgId: org.id, projectId, confirmed: slug, now: actor.now };
      const tokens = await markDeleted(tx, org.tables, named);
      if (tokens !== undefined) await mailControl(tx, actor, org.id, 'project_deleted', [['Project', slug]]);
      return tokens;
    }),
  );
