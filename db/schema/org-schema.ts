import QuickLRU from 'quick-lru';

/** Name of an organization's schema. Only {@link orgSchemaName} makes one, so SQL never sees an unchecked name. */
export type OrgSchemaName = string & { readonly __brand: 'OrgSchemaName' };

/** The schema an org's tables live in: `org_<uuid without hyphens>`. */
export function orgSchemaName(orgId: string): OrgSchemaName {
  const name = `org_${orgId.replaceAll('-', '')}`;
  if (!/^org_[a-f0-9]{32}$/.test(name)) throw new Error(`not an organization id: ${orgId}`);
  return name as OrgSchemaName;
}

/** Stands for an org's schema in the generated migrations of the org track. */
export const TEMPLATE_SCHEMA = 'org_template' as OrgSchemaName;

/**
 * Caches what `make` returns for an organization, for a bounded number of them (LRU). A value that was dropped is made again
 * when it is needed, so two values for the same organization can exist for a moment.
 */
export function perOrg<Org extends { id: string }, Value>(make: (org: Org) => Value, maxSize = 500) {
  const kept = new QuickLRU<string, Value>({ maxSize });
  return (org: Org): Value => {
    let value = kept.get(org.id);
    if (value === undefined) {
      value = make(org);
      kept.set(org.id, value);
    }
    return value;
  };
}
