import { buildOrgTables, TEMPLATE_SCHEMA } from '../db/schema/org.ts';

export const {
  schema,
  projects,
  apiTokens,
  scans,
  findings,
  sightings,
  findingCounts,
  scanCounts,
  exploits,
  orgFlags,
} = buildOrgTables(TEMPLATE_SCHEMA);
