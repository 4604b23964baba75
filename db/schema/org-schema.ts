import QuickLRU from 'quick-lru';

/** Name of an organization's schema. Only functions of this file make one, so SQL never sees an unchecked name. */
export type OrgSchemaName = string & { readonly __brand: 'OrgSchemaName' };

/** The schema an org's tables live in: `org_<uuid without hyphens>`. */
export function orgSchemaName(orgId: string): OrgSchemaName {
  const name = `org_${orgId.replaceAll('-', '')}`;
  if (!/^org_[a-f0-9]{32}$/.test(name)) throw new Error(`not an organization id: ${orgId}`);
  return name as OrgSchemaName;
}

/** The prefix of the names of {@link emptySchemaName}. */
export const EMPTY_PREFIX = 'empty_org_';

/**
 * The schema of the tables that organizations without tables of their own read (`db/migrations/empty-tables.ts`).
 * @param definition hexadecimal digits that tell definitions of the tables apart
 */
export function emptySchemaName(definition: string): OrgSchemaName {
  if (!/^[a-f0-9_]{1,40}$/.test(definition)) throw new Error(`not a definition: ${definition}`);
  return `${EMPTY_PREFIX}${definition}` as OrgSchemaName;
}

/** Whether these are the tables of organizations without tables of their own. */
export const isEmptySchema = ({ schemaName }: { schemaName: string }): boolean =>
  schemaName.startsWith(EMPTY_PREFIX);

/** Stands for an org's schema in the generated migrations of the org track. */
export const TEMPLATE_SCHEMA = 'org_template' as OrgSchemaName;

/**
 * Caches what `make` returns for an organization, for a bounded number of them (LRU). A value that was dropped is made again
 * when it is needed, so two values for the same organization can exist for a moment. Values of an organization without tables are not
 * used after it got its tables.
 */
export function perOrg<Org extends { id: string; tables?: { schema: { schemaName: string } } }, Value>(
  make: (org: Org) => Value,
  maxSize = 500,
) {
  const kept = new QuickLRU<string, Value>({ maxSize });
  return (org: Org): Value => {
    const key = org.tables && isEmptySchema(org.tables.schema) ? `${org.id} without tables` : org.id;
    let value = kept.get(key);
    if (value === undefined) {
      value = make(org);
      kept.set(key, value);
    }
    return value;
  };
}
