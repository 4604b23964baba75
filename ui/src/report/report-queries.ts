import { queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';
import { type FindingFilter, type ListedFinding, readFindings, rowsKey } from '../findings/list-queries.ts';

/** The most findings of a report: 50 to 100 sheets. Files have all of them. */
const MAX_PRINTED = 2_000;
/** The most findings that the API returns at once. */
const PER_PAGE = 500;

export interface Report {
  findings: ListedFinding[];
  /** How many match. */
  total: number;
}

/** The first findings of a list, for paper. */
export const reportQuery = (org: OrgSession, filter: FindingFilter) =>
  queryOptions({
    queryKey: [...rowsKey(org), 'report', filter],
    queryFn: async ({ signal }): Promise<Report> => {
      const findings = new Map<string, ListedFinding>();
      for (let page = 1; ; page++) {
        const { rows, total: matching } = await readFindings(org, filter, page, PER_PAGE, signal, {
          isExact: true,
        });
        // Findings move to the next page if others are pushed meanwhile.
        for (const finding of rows) findings.set(finding.id, finding);
        const total = Math.max(matching, findings.size);
        if (rows.length < PER_PAGE || page * PER_PAGE >= MAX_PRINTED)
          return { findings: [...findings.values()], total };
      }
    },
    // The report does not change while the user reads it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

let requested = false;

/** Notes that the next report is printed as soon as it is complete. A link to a report only shows it. */
export const requestPrint = (): void => {
  requested = true;
};

/** Whether the user has asked to print. Once. */
export function takeRequest(): boolean {
  const was = requested;
  requested = false;
  return was;
}
