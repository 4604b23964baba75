import { must, push, type TestOrg } from '../support/api/api.ts';
import type { TestApp } from '../support/server/app.ts';

/** Findings of an organization that were found and resolved earlier. */
export function pastOf({ api, services }: TestApp, org: TestOrg) {
  const run = (text: string, params: unknown[] = []) =>
    services.database.sql.unsafe(
      text.replaceAll('ORG', `"org_${org.id.replaceAll('-', '')}"`),
      params as never[],
    );

  return {
    /** Runs a statement in which `ORG` is the schema of the organization. */
    run,

    /** Lets a finding have been found earlier, as its id then says. */
    async foundAt(at: Date, scanId: string, fields: object = {}, agent = org): Promise<string> {
      const { id } = await push(api, agent, scanId, { ...fields });
      const hex = at.getTime().toString(16).padStart(12, '0');
      const older = `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}`;
      await run('update ORG.findings set id = $1, created_at = $2 where id = $3', [
        older,
        at.toISOString(),
        id,
      ]);
      return older;
    },

    async resolvedAt(id: string, at: Date, status = 'fixed'): Promise<void> {
      must(await api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));
      await run('update ORG.findings set resolved_at = $1, status_changed_at = $1 where id = $2', [
        at.toISOString(),
        id,
      ]);
    },
  };
}
