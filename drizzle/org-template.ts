import { defineOrgTables } from '../db/schema/org.ts';
import { TEMPLATE_SCHEMA } from '../db/schema/org-schema.ts';

export const {
  schema,
  projects,
  apiTokens,
  scans,
  findings,
  findingEvents,
  changes,
  deletions,
  deletedFindings,
  dueDates,
  rules,
  ruleChanges,
  policyVersions,
  savedViews,
  series,
  sightings,
  findingRefs,
  findingCounts,
  scanCounts,
  exploits,
  orgFlags,
  idempotencyKeys,
} = defineOrgTables(TEMPLATE_SCHEMA);
