import { type Api, createOrg, createScan, must, push, type TestOrg } from './client.ts';

export interface FiveFindings {
  org: TestOrg;
  scanId: string;
  /** The oldest first: three in src/, two in test/. */
  ids: string[];
  /** Their statuses, the oldest first. */
  statuses(): Promise<string>;
}

/** A new organization with five findings, in files whose paths a filter or a rule can match. */
export async function createFiveFindings(api: Api): Promise<FiveFindings> {
  const org = await createOrg(api);
  const scanId = await createScan(api, org);
  const ids: string[] = [];
  for (const file of ['src/a.ts', 'test/a.ts', 'src/b.ts', 'test/b.ts', 'src/c.ts'])
    ids.push((await push(api, org, scanId, { file })).id);
  return {
    ...{ org, scanId, ids },
    async statuses() {
      const all = must(await api.get('/findings?sort=created_at', org.asOwner));
      return all.map(({ status }: { status: string }) => status).join(' ');
    },
  };
}
