import type { OrgActivityEntry } from './queries.ts';

type Some = [OrgActivityEntry, ...OrgActivityEntry[]];

/** A change of several findings by one request: the entries of one finding, which are alike for all, and the findings. */
export interface ActivityGroup {
  entries: Some;
  findings: [OrgActivityEntry['finding'], ...OrgActivityEntry['finding'][]];
}

const isOfRequest = (a: OrgActivityEntry, b: OrgActivityEntry) =>
  a.at === b.at && a.actor.id === b.actor.id && a.kind !== 'comment' && b.kind !== 'comment';

/** Entries that differ only in their finding have the same text. */
const signatureOf = (entries: Some): string =>
  JSON.stringify(
    entries.map(({ kind, from, to, reason, note, scan }) => [kind, from, to, reason, note, scan?.id]).sort(),
  );

/** Joins the entries of one request, which the activity has one after the other in any order. */
export function groupsOf(entries: readonly OrgActivityEntry[]): ActivityGroup[] {
  const requests: Some[] = [];
  // Entries that arrived meanwhile move others to the next page.
  for (const entry of new Map(entries.map((entry) => [`${entry.finding.id} ${entry.id}`, entry])).values()) {
    const last = requests.at(-1);
    if (last && isOfRequest(last[0], entry)) last.push(entry);
    else requests.push([entry]);
  }
  return requests.flatMap((request) => {
    const byFinding = new Map<string, Some>();
    for (const entry of request) {
      const own = byFinding.get(entry.finding.id);
      if (own) own.push(entry);
      else byFinding.set(entry.finding.id, [entry]);
    }
    const groups = new Map<string, ActivityGroup>();
    for (const own of byFinding.values()) {
      const signature = signatureOf(own);
      const group = groups.get(signature);
      if (group) group.findings.push(own[0].finding);
      else groups.set(signature, { entries: own, findings: [own[0].finding] });
    }
    return [...groups.values()];
  });
}
